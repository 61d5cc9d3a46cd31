import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { ActivityService } from '../activity/activity.service.js';
import { CodedError } from '../common/errors.js';
import { type ModerationTarget, ModerationTargets } from '../moderation/moderation-targets.js';
import { type Removal, REMOVED_MS } from '../moderation/removal.js';
import { findOne } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { TaskHandlers } from '../platform/work-queue/task-handlers.js';
import { PostsService } from '../posts/posts.service.js';
import { CommentDeletionsService } from './comment-deletions.service.js';
import { factsOf, tagsOf, tagsOfChanged, tagsOfShown, versionOf } from './comment-view.js';
import { Comment } from './comment.schema.js';
import { COMMENT_REMOVAL_EXPIRED } from './comments.events.js';
import { commentNotFound } from './visibility.js';

const FIELDS = {
  postId: 1,
  authorId: 1,
  authorSnapshot: 1,
  ancestors: 1,
  content: 1,
  mentions: 1,
  updatedAt: 1,
  deletedAt: 1,
  removal: 1,
} as const;
type RemovableRow = Pick<Comment, '_id' | keyof typeof FIELDS>;

/**
 * Removes comments for moderators. A removed comment is a tombstone for every reader. It keeps its votes and replies, and its text in
 * `removal`, and is deleted after 30 days unless a moderator restores it.
 */
@Injectable()
export class CommentRemovalsService implements ModerationTarget, OnModuleInit {
  constructor(
    private readonly mongo: MongoService,
    private readonly posts: PostsService,
    private readonly deletions: CommentDeletionsService,
    private readonly activity: ActivityService,
    private readonly handlers: TaskHandlers,
    @InjectModel(Comment.name) private readonly comments: Model<Comment>,
    targets: ModerationTargets,
  ) {
    targets.register('comment', this);
  }

  onModuleInit(): void {
    const run = ({ payload }: { payload: ObjectId }) => this.deleteExpired(payload);
    this.handlers.register(COMMENT_REMOVAL_EXPIRED, { name: 'comments: removed', lane: 'foreground', run });
  }

  async ownerOf(id: ObjectId, tx: Transaction): Promise<ObjectId> {
    return (await this.getRow(id, tx)).authorId;
  }

  /** @throws CodedError `comment_not_found`, `already_removed` */
  async moderate(id: ObjectId, removal: Removal & { isUnannounced?: boolean }, tx: Transaction): Promise<void> {
    const row = await this.getRow(id, tx);
    if (row.removal !== undefined) throw new CodedError('already_removed', 'The comment is already removed.');
    if (row.deletedAt !== null) throw commentNotFound();
    const { content, mentions = [] } = row;
    const removed = { deletedAt: new Date(), content: '', mentions: [], removal: { ...removal, content, mentions } };
    await this.write(row, { $set: removed, $unset: { html: 1 } }, -1, tx);
    const runAt = new Date(removal.at.getTime() + REMOVED_MS);
    tx.addTask(COMMENT_REMOVAL_EXPIRED, id, { runAt });
  }

  /** @throws CodedError `comment_not_found`, `not_removed` */
  async restore(id: ObjectId, tx: Transaction): Promise<void> {
    const row = await this.getRow(id, tx);
    if (row.removal === undefined) throw new CodedError('not_removed', 'The comment is not removed.');
    const { content, mentions, isUnannounced = false } = row.removal;
    await this.write(row, { $set: { deletedAt: null, content, mentions }, $unset: { removal: 1 } }, 1, tx);
    if (isUnannounced) await this.activity.add(tx, factsOf({ ...row, mentions }));
  }

  /** Deletes a comment whose removal began REMOVED_MS ago. A later removal has a task of its own. */
  private async deleteExpired(id: ObjectId): Promise<void> {
    const before = new Date(Date.now() - REMOVED_MS);
    await this.mongo.transaction(async (tx) => {
      const row = await findOne(this.comments, { _id: id, 'removal.at': { $lte: before } }, FIELDS, {
        session: tx.session,
      });
      if (row === null) return;
      await this.deletions.markDeleted([row], tx);
      tx.invalidate(tagsOf([row]));
    });
  }

  private async write(
    row: RemovableRow,
    { $set, $unset }: { $set: Partial<Comment>; $unset: Record<string, 1> },
    commentsCount: 1 | -1,
    tx: Transaction,
  ): Promise<void> {
    const updatedAt = new Date(Math.max(Date.now(), versionOf(row) + 1));
    const update = { $set: { ...$set, updatedAt }, $unset };
    await this.comments.updateOne({ _id: row._id }, update, { session: tx.session }).exec();
    await this.posts.applyStats(new Map([[row.postId.toHexString(), { commentsCount }]]), tx);
    tx.invalidate([...tagsOfShown([row]), ...tagsOfChanged([row._id])]);
  }

  private async getRow(id: ObjectId, tx: Transaction): Promise<RemovableRow> {
    const row = await findOne(this.comments, { _id: id, isVisible: true }, FIELDS, { session: tx.session });
    if (row === null) throw commentNotFound();
    return row;
  }
}
