import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type Binary, type Collection, type ObjectId } from 'mongodb';
import { ActivityProcessorService } from '../activity/activity-processor.service.js';
import { CommentsService } from '../comments/comments.service.js';
import { COMMENT_DELETED } from '../comments/comments.events.js';
import { firstOf, pairsOf } from '../common/pair-id.js';
import { type HandlerContext, PHASE, TaskHandlers } from '../platform/work-queue/task-handlers.js';
import { streamBatches } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { PostsService } from '../posts/posts.service.js';
import { POST_DELETED, POST_LISTED } from '../posts/posts.events.js';
import { ACCOUNT_ENDED } from '../users/users.events.js';
import { daysOf } from './notification-id.js';
import type { NotificationKind } from './notification-kinds.js';
import { NotificationWriterService } from './notification-writer.service.js';
import { NOTIFICATIONS } from './notification.schema.js';
import { PUSH_SUBSCRIPTIONS } from './push/push-subscription.schema.js';
import { type Bell, BELLS, BellSchema, POST_WATCHES } from './subscription.schema.js';

/** Applies activity facts, notifies of new posts, and cleans up after deleted accounts, posts and comments. */
@Injectable()
export class NotificationsSubscriber implements OnModuleInit {
  private readonly bells: Collection<Bell>;

  constructor(
    private readonly mongo: MongoService,
    private readonly posts: PostsService,
    private readonly comments: CommentsService,
    private readonly writer: NotificationWriterService,
    private readonly activity: ActivityProcessorService,
    private readonly handlers: TaskHandlers,
  ) {
    this.bells = mongo.collection(BellSchema);
  }

  onModuleInit(): void {
    const name = 'notifications';
    this.activity.register({ name, apply: (facts, tx) => this.writer.apply(facts, tx) });
    const order = PHASE.first;
    const ofAccount = (context: HandlerContext) => this.deleteRowsOf(context);
    this.handlers.register(ACCOUNT_ENDED, { name, lane: 'both', order, run: ofAccount });
    this.handlers.register(POST_DELETED, { name, order, run: (context) => this.deleteGroupsOfPost(context) });
    this.handlers.register(COMMENT_DELETED, { name, order, run: (context) => this.deleteGroupsOfComment(context) });
    const run = (context: HandlerContext) => this.announce(context);
    this.handlers.register(POST_LISTED, { name, lane: 'fanout', run });
  }

  /** Creates one group per bell of the author. Idempotent, because the last batch of a failed attempt runs again. */
  private async announce({ payload: postId, batchSize, position, throttle }: HandlerContext): Promise<void> {
    const post = (await this.posts.findTargets([postId])).get(postId.toHexString());
    if (post === undefined || !post.isListed) return;
    const { authorId } = post;
    const batches = streamBatches<Bell>(batchSize, (last, limit) => {
      const after = last?._id ?? (position as Binary | undefined);
      const range = after === undefined ? {} : { _id: { $gt: after } };
      return this.bells.find({ authorId, ...range }, { sort: { _id: 1 }, limit }).toArray();
    });
    for await (const rows of batches) {
      const about = { kind: 'new_post', targetId: postId, postId: null, actorId: authorId, since: postId } as const;
      const entries = rows.map(({ _id }) => ({ userId: firstOf(_id), ...about }));
      await this.mongo.transaction((tx) => this.writer.addMissing(entries, tx));
      await throttle(rows.length, rows.at(-1)!._id);
    }
  }

  private async deleteRowsOf({ payload: userId, deleteInBatches }: HandlerContext): Promise<void> {
    await deleteInBatches(NOTIFICATIONS, { userId });
    await deleteInBatches('notification_states', { _id: userId });
    await deleteInBatches(PUSH_SUBSCRIPTIONS, { userId });
    await deleteInBatches(POST_WATCHES, { _id: pairsOf(userId) });
    await deleteInBatches(BELLS, { _id: pairsOf(userId) });
    await deleteInBatches(BELLS, { authorId: userId });
  }

  /** Deletes the author's groups of the post. Groups of other accounts expire. */
  private async deleteGroupsOfPost({ payload: postId, deleteInBatches }: HandlerContext): Promise<void> {
    const post = (await this.posts.findTargets([postId])).get(postId.toHexString());
    const kinds = ['comment', 'thread', 'like_post', 'collected', 'draft_published'] as const;
    if (post !== undefined) await this.deleteGroups(post.authorId, kinds, postId, deleteInBatches);
    await deleteInBatches(POST_WATCHES, { postId });
  }

  private async deleteGroupsOfComment({ payload: commentId, deleteInBatches }: HandlerContext): Promise<void> {
    const authorId = await this.comments.findAuthorId(commentId);
    if (authorId !== null) await this.deleteGroups(authorId, ['reply', 'like_comment'], commentId, deleteInBatches);
  }

  private async deleteGroups(
    userId: ObjectId,
    kinds: readonly NotificationKind[],
    targetId: ObjectId,
    deleteInBatches: HandlerContext['deleteInBatches'],
  ): Promise<void> {
    for (const kind of kinds) await deleteInBatches(NOTIFICATIONS, { _id: daysOf(userId, kind, targetId) });
  }
}
