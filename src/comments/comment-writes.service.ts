import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { mentionFacts } from '../activity/activity-facts.js';
import { ActivityService } from '../activity/activity.service.js';
import { BlockLookupService } from '../blocks/block-lookup.service.js';
import { CodedError } from '../common/errors.js';
import { notOwner } from '../moderation/not-owner.js';
import { toRemoval } from '../moderation/removal.dto.js';
import type { Viewer } from '../platform/access/viewer.js';
import { requireVersion } from '../platform/http/if-match.js';
import type { WriteRequest } from '../platform/idempotency/write-request.js';
import { findOne } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { PostTarget } from '../posts/posts.service.js';
import { canSee } from '../posts/visibility.js';
import { CommentChecksService } from './comment-checks.service.js';
import { CommentRemovalsService } from './comment-removals.service.js';
import { CommentDeletionsService } from './comment-deletions.service.js';
import { COMMENT_EDITED } from './comments.events.js';
import { COMMENT_PROJECTION, type CommentJson, tagsOf, tagsOfChanged, toComment, versionOf } from './comment-view.js';
import { CommentWriterService } from './comment-writer.service.js';
import { Comment } from './comment.schema.js';
import { CommentsService, isBy, type ReadableComment } from './comments.service.js';
import { commentNotFound, isLive, postLocked } from './visibility.js';

/** Creates, edits and deletes comments. */
@Injectable()
export class CommentWritesService {
  constructor(
    private readonly mongo: MongoService,
    private readonly reads: CommentsService,
    private readonly writer: CommentWriterService,
    private readonly activity: ActivityService,
    private readonly blocks: BlockLookupService,
    private readonly deletions: CommentDeletionsService,
    private readonly checks: CommentChecksService,
    private readonly removals: CommentRemovalsService,
    @InjectModel(Comment.name) private readonly comments: Model<Comment>,
  ) {}

  /**
   * Creates a comment. Its transaction also stores the response under the idempotency key of the request.
   * @throws CodedError `newcomer_limit`, `newcomer_content`, `content_rejected`, `post_not_found`, `post_locked`, `comment_not_found`, `parent_mismatch`, `comment_too_deep`, `blocked`
   */
  async create(
    { viewer, isDisconnected, idempotencyKey: key }: WriteRequest,
    postId: ObjectId,
    draft: { content: string; parentId?: string | null },
  ): Promise<CommentJson> {
    const { content, parentId = null } = draft;
    await this.checks.requireCapacity(viewer);
    const { verdict, mentions } = await this.checks.check(viewer, content);
    const item = { authorId: viewer.id, postId: postId.toHexString(), parentId, content, mentions, key };
    return this.writer.submit({ ...item, verdict: verdict ?? undefined }, isDisconnected);
  }

  /**
   * Edits a comment. Only its author may edit it, even if the post has been hidden since, but not while the post is locked.
   * @param ifMatch the raw If-Match header
   * @throws CodedError `comment_not_found`, `forbidden`, `precondition_failed`, `post_locked`, `blocked`, `newcomer_content`, `content_rejected`
   */
  async edit(id: ObjectId, viewer: Viewer, content: string, ifMatch?: string): Promise<CommentJson> {
    const found = await this.reads.getVisible(id);
    if (!isBy(viewer, found))
      throw accessErrorOf(found, await this.reads.findPost(found), viewer, 'Only its author may edit a comment.');
    const { verdict, ...checked } = await this.checks.check(viewer, content, id);
    const mentions = checked.mentions.map((user) => new ObjectId(user));
    return this.mongo.transaction(async (tx) => {
      const fields = { ...COMMENT_PROJECTION, mentions: 1 } as const;
      const row = await findOne(this.comments, { _id: id, deletedAt: null }, fields, { session: tx.session });
      if (row === null) throw commentNotFound();
      requireVersion(ifMatch, versionOf(row), 'The comment');
      if (row.content === content) return toComment(row);
      const post = await this.reads.findPost(row, tx);
      if (post?.isLocked) throw postLocked();
      const parents = await this.reads.findTargets(row.parentId === null ? [] : [row.parentId], tx);
      const reached = [post, ...parents.values()].flatMap((one) => one?.authorId ?? []);
      await this.blocks.requireNone(row.authorId, reached, tx);
      const change = {
        content,
        mentions,
        isEdited: true,
        updatedAt: new Date(Math.max(Date.now(), versionOf(row) + 1)),
      };
      await this.comments.updateOne({ _id: id }, { $set: change }, { session: tx.session, runValidators: true }).exec();
      const about = { kind: 'mention_in_comment', actor: row.authorId, target: id } as const;
      await this.activity.add(tx, mentionFacts(about, mentions, row.mentions));
      await tx.runHooks(COMMENT_EDITED, { ...row, ...change });
      tx.invalidate([...tagsOf([row]), ...tagsOfChanged([id])]);
      const edited = toComment({ ...row, ...change });
      const removal = verdict && (await this.checks.apply(verdict, row, tx));
      if (removal === null) return edited;
      await this.removals.moderate(id, removal, tx);
      return { ...edited, removal: toRemoval(removal) };
    });
  }

  /**
   * Deletes a comment. Its author may delete it even if the post is hidden or locked. The author of the post may delete any comment on it,
   * also with all replies. Deleting a comment again throws `comment_not_found`.
   * @throws CodedError `comment_not_found`, `forbidden`
   */
  async delete(id: ObjectId, viewer: Viewer, isTree: boolean): Promise<void> {
    const row = await this.reads.getVisible(id);
    if (isTree || !isBy(viewer, row)) {
      const post = await this.reads.findPost(row);
      const isOnOwn = post !== undefined && post.deletedAt === null && isBy(viewer, post);
      const rule = isTree
        ? 'Only the author of the post may delete a whole thread.'
        : 'Only its author and that of the post may delete a comment.';
      if (!isOnOwn) throw accessErrorOf(row, post, viewer, rule);
    }
    await this.deletions.delete(row, isTree);
  }
}

/** Returns `forbidden`, or `comment_not_found` if the viewer may not read the comment. */
function accessErrorOf(row: ReadableComment, post: PostTarget | undefined, viewer: Viewer, detail: string): CodedError {
  return isLive(row) && canSee(post, viewer) ? notOwner(viewer, detail) : commentNotFound();
}
