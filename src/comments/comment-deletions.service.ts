import { Injectable } from '@nestjs/common';
import type { AnyBulkWriteOperation, Collection, ObjectId } from 'mongodb';
import { INLINE_TIMEOUT_MS, TaskRunner } from '../platform/work-queue/task-runner.js';
import type { TaskRef } from '../platform/work-queue/task.schema.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { PostsService } from '../posts/posts.service.js';
import { type Comment, CommentSchema } from './comment.schema.js';
import { tagsOf, tagsOfChanged } from './comment-view.js';
import { type CommentChange, planDeletions, type DeletableComment } from './comment-deletion.js';
import { COMMENT_DELETED } from './comments.events.js';
import { commentNotFound } from './visibility.js';

const REMOVAL_PROJECTION = {
  postId: 1,
  parentId: 1,
  deletedAt: 1,
  isVisible: 1,
  removal: 1,
  'stats.repliesCount': 1,
} as const;
/** Selects comments that can be deleted: those with a text, also if a moderator removed them. */
export const HAS_TEXT = { $or: [{ deletedAt: null }, { removal: { $exists: true } }] };
/** the maximum number of comments deleted in one transaction */
const TREE_BATCH = 1_000;

type CommentInTree = Pick<Comment, '_id' | 'ancestors'>;

/** Deletes comments: one transaction marks them, corrects counters and adds a task that deletes the rest. */
@Injectable()
export class CommentDeletionsService {
  private readonly comments: Collection<Comment>;

  constructor(
    private readonly mongo: MongoService,
    private readonly posts: PostsService,
    private readonly runner: TaskRunner,
  ) {
    this.comments = mongo.collection(CommentSchema);
  }

  /** Deletes a visible comment, with its replies if `isTree`. @throws CodedError `comment_not_found` */
  async delete(row: CommentInTree & Pick<Comment, 'postId'>, isTree: boolean): Promise<void> {
    const rest = await this.mongo.transaction(async (tx) => {
      const options = { projection: { deletedAt: 1, isVisible: 1, removal: 1 }, session: tx.session };
      const now = await this.comments.findOne({ _id: row._id }, options);
      // The replies of a tombstone can be deleted, too.
      const isTombstone = now !== null && now.deletedAt !== null && now.removal === undefined;
      if (now === null || !now.isVisible || (!isTree && isTombstone)) throw commentNotFound();
      tx.invalidate(tagsOf([row]));
      if (isTree) return this.deleteTree(row, tx);
      await this.markDeleted([row], tx);
      return null;
    });
    if (rest !== null) await this.runner.runInline(rest);
  }

  /** Deletes comments. Comments with visible replies become tombstones. Ignores deleted comments. */
  async markDeleted(targets: CommentInTree[], tx: Transaction): Promise<void> {
    const marked = await this.mark(targets, tx);
    // The task deletes invisible rows and the votes of tombstones.
    tx.addTasks(COMMENT_DELETED, marked);
  }

  /**
   * Deletes a comment with its replies. No read returns them after the commit. If there are TREE_BATCH or more replies, the deleted root
   * hides the rest until the returned task has deleted the rest.
   * @returns the task, reserved for the caller (TaskRunner.runInline); null if the whole tree has been deleted
   */
  async deleteTree(root: CommentInTree, tx: Transaction): Promise<TaskRef | null> {
    const below = await this.below(root._id, TREE_BATCH, tx);
    const marked = await this.mark([...below, root], tx, root._id);
    // These ancestors were tombstones without other replies.
    const above = marked.filter((id) => root.ancestors.some((ancestor) => ancestor.equals(id)));
    tx.addTasks(COMMENT_DELETED, above);
    const isRest = below.length === TREE_BATCH;
    const task = tx.addTask(COMMENT_DELETED, root._id, {
      reservedMs: isRest ? INLINE_TIMEOUT_MS : 0,
    });
    return isRest ? task : null;
  }

  /** Deletes up to `limit` comments below a deleted root. @returns the number of deleted comments */
  async deleteBelow(rootId: ObjectId, limit: number, tx: Transaction): Promise<number> {
    const below = await this.below(rootId, limit, tx);
    await this.mark(below, tx);
    return below.length;
  }

  private below(rootId: ObjectId, limit: number, tx: Transaction): Promise<CommentInTree[]> {
    return this.comments
      .find({ ancestors: rootId, ...HAS_TEXT }, { projection: { ancestors: 1 }, session: tx.session })
      .limit(limit)
      .toArray();
  }

  /** @returns ids of the comments that were deleted or hidden */
  private async mark(targets: CommentInTree[], tx: Transaction, root?: ObjectId): Promise<ObjectId[]> {
    const ids = new Map(
      targets.flatMap(({ _id, ancestors }) => [...ancestors, _id]).map((id) => [id.toHexString(), id]),
    );
    if (ids.size === 0) return [];
    const rows = await this.comments
      .find<DeletableComment>(
        { _id: { $in: [...ids.values()] } },
        { projection: REMOVAL_PROJECTION, session: tx.session },
      )
      .toArray();
    const plan = planDeletions(
      targets.map(({ _id }) => _id),
      new Map(rows.map((row) => [row._id.toHexString(), row])),
      root,
    );
    if (plan.changes.length === 0) return [];
    await this.posts.applyStats(plan.postStats, tx);
    await this.comments.bulkWrite(plan.changes.map(changeOperation), { session: tx.session, ordered: false });
    const marked = plan.changes.filter(({ isDeleted, isHidden }) => isDeleted || isHidden).map(({ _id }) => _id);
    tx.invalidate(tagsOfChanged(marked));
    return marked;
  }
}

function changeOperation({ _id, isDeleted, isHidden, replies }: CommentChange): AnyBulkWriteOperation<Comment> {
  const now = new Date();
  const marks: Partial<Comment> = {
    // Removes the text, because no response contains it again.
    ...(isDeleted ? { deletedAt: now, updatedAt: now, content: '', mentions: [] } : {}),
    ...(isHidden ? { isVisible: false } : {}),
  };
  const update = {
    ...(isDeleted || isHidden ? { $set: marks } : {}),
    ...(isDeleted ? { $unset: { html: '' as const, removal: '' as const } } : {}),
    ...(replies === 0 ? {} : { $inc: { 'stats.repliesCount': replies } }),
  };
  return { updateOne: { filter: { _id }, update } };
}
