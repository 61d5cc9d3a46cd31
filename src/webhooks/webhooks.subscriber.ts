import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import type { Fact } from '../activity/activity-facts.js';
import { ActivityProcessorService } from '../activity/activity-processor.service.js';
import { type ChangedComment, COMMENT_DELETED, COMMENT_EDITED } from '../comments/comments.events.js';
import { CommentsService } from '../comments/comments.service.js';
import type { Topic } from '../common/topic.js';
import { uniqueIds } from '../common/unique-ids.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { type HandlerContext, PHASE, TaskHandlers } from '../platform/work-queue/task-handlers.js';
import { POST_DELETED, POST_EDITED, POST_HIDDEN, POST_LISTED, POST_TRASHED } from '../posts/posts.events.js';
import type { StoredPost } from '../posts/stored-posts.service.js';
import { PostsService } from '../posts/posts.service.js';
import { canRead } from '../posts/visibility.js';
import { ACCOUNT_ENDED } from '../users/users.events.js';
import { UsersService } from '../users/users.service.js';
import { type Receiver, WebhookDeliveriesService } from './webhook-deliveries.service.js';
import type { WebhookEvent } from './webhook-events.js';
import { WebhooksService } from './webhooks.service.js';

/** Adds deliveries for what happens to the posts, comments and followers of accounts with webhooks. */
@Injectable()
export class WebhooksSubscriber implements OnModuleInit {
  constructor(
    private readonly mongo: MongoService,
    private readonly handlers: TaskHandlers,
    private readonly activity: ActivityProcessorService,
    private readonly own: WebhooksService,
    private readonly deliveries: WebhookDeliveriesService,
    private readonly posts: PostsService,
    private readonly comments: CommentsService,
    private readonly users: UsersService,
  ) {}

  onModuleInit(): void {
    const name = 'webhooks';
    const order = PHASE.first;
    const onPost = (topic: Topic<ObjectId>, type: WebhookEvent, lane: 'fanout' | 'foreground'): void => {
      const run = ({ id, payload }: HandlerContext) =>
        this.mongo.transaction((tx) => this.addOfPost(type, payload, id, tx));
      this.handlers.register(topic, { name, lane, order, run });
    };
    onPost(POST_LISTED, 'post.published', 'fanout');
    onPost(POST_HIDDEN, 'post.hidden', 'foreground');
    // Before the cleanup in the background lane deletes the row.
    onPost(POST_DELETED, 'post.deleted', 'foreground');
    const onWrite =
      (type: WebhookEvent) =>
      ({ row }: StoredPost, tx: Transaction) =>
        this.addOfPost(type, row._id, new ObjectId(), tx, row.authorId);
    this.mongo.hook(POST_EDITED, onWrite('post.updated'));
    this.mongo.hook(POST_TRASHED, onWrite('post.deleted'));
    this.mongo.hook(COMMENT_EDITED, (comment, tx) => this.addOfComments('comment.edited', [comment], tx));
    const onDeletedComment = ({ id, payload }: HandlerContext) =>
      this.mongo.transaction((tx) => this.addOfDeletedComment(payload, id, tx));
    this.handlers.register(COMMENT_DELETED, { name, lane: 'foreground', order, run: onDeletedComment });
    this.activity.register({ name, apply: (facts, tx) => this.apply(facts, tx) });
    const ofAccount = ({ payload }: HandlerContext) => this.own.deleteAllOf(payload);
    this.handlers.register(ACCOUNT_ENDED, { name, lane: 'both', order, run: ofAccount });
  }

  /** @param authorId if known, saves the read of a post without receivers */
  private async addOfPost(
    type: WebhookEvent,
    postId: ObjectId,
    id: ObjectId,
    tx: Transaction,
    authorId?: ObjectId,
  ): Promise<void> {
    let receivers = authorId && (await this.deliveries.receiversOf([authorId], [type], tx));
    if (receivers?.length === 0) return;
    const post = await this.posts.findVersion(postId, tx);
    if (post === null) return;
    // The event of a post in the trash was its deletion, which only a removed post has without the trash.
    const isKnown = authorId === undefined && post.deletedAt !== null && post.removal === undefined;
    if (isKnown && type !== 'post.published') return;
    receivers ??= await this.deliveries.receiversOf([post.authorId], [type], tx);
    const data = { id: postId.toHexString(), slug: post.slug, version: post.version };
    await this.deliveries.add(receivers, { id, type, data }, tx);
  }

  /** For the author of the post, and for those of the comments who may read the post. */
  private async addOfComments(
    type: WebhookEvent,
    comments: Iterable<ChangedComment>,
    tx: Transaction,
    idOf = () => new ObjectId(),
  ): Promise<void> {
    const rows = [...comments];
    const posts = await this.posts.findTargets(uniqueIds(rows.map(({ postId }) => postId)), tx);
    const ownersOf = ({ postId, authorId }: ChangedComment): ObjectId[] => {
      const post = posts.get(postId.toHexString());
      return post === undefined ? [] : uniqueIds([post.authorId, ...(canRead(post, authorId) ? [authorId] : [])]);
    };
    const receivers = await this.receiversOf(uniqueIds(rows.flatMap(ownersOf)), type, tx);
    if (receivers.size === 0) return;
    for (const row of rows) {
      const own = ownersOf(row).flatMap((id) => receivers.get(id.toHexString()) ?? []);
      const version = row.updatedAt.getTime();
      const data = { id: row._id.toHexString(), version, postId: row.postId.toHexString() };
      await this.deliveries.add(own, { id: idOf(), type, data }, tx);
    }
  }

  private async addOfDeletedComment(commentId: ObjectId, id: ObjectId, tx: Transaction): Promise<void> {
    const rows = await this.comments.findTargets([commentId], tx);
    const deleted = [...rows.values()].filter(({ deletedAt }) => deletedAt !== null);
    if (deleted.length > 0) await this.addOfComments('comment.deleted', deleted, tx, () => id);
  }

  /** Adds new comments and follows, in the transaction that applies their facts once. */
  private async apply(facts: readonly Fact[], tx: Transaction): Promise<void> {
    const ofKind = (kind: Fact['kind']): Fact[] => facts.filter((fact) => fact.kind === kind);
    const [comments, follows] = [ofKind('comment'), ofKind('follow')];
    if ((comments.length === 0 && follows.length === 0) || !(await this.deliveries.hasAny(tx))) return;
    const ids = comments.map(({ target }) => target);
    const created = [...(await this.comments.findTargets(ids, tx)).values()];
    const visible = created.filter(({ isVisible, deletedAt }) => isVisible && deletedAt === null);
    await this.addOfComments('comment.created', visible, tx);
    const receivers = await this.receiversOf(uniqueIds(follows.map(({ target }) => target)), 'follow.created', tx);
    const received = follows.filter(({ target }) => receivers.has(target.toHexString()));
    const actors = uniqueIds(received.map(({ actor }) => actor));
    const followers = await this.users.findParts(actors, ['username'], tx);
    const names = new Map(followers.map(({ _id, username }) => [_id.toHexString(), username]));
    for (const { actor, target } of received) {
      const id = actor.toHexString();
      const username = names.get(id);
      if (username === undefined) continue;
      const message = { id: new ObjectId(), type: 'follow.created', data: { id, username } } as const;
      await this.deliveries.add(receivers.get(target.toHexString())!, message, tx);
    }
  }

  /** Returns the webhooks that ask for an event, by hex id of their account. */
  private async receiversOf(
    userIds: ObjectId[],
    type: WebhookEvent,
    tx: Transaction,
  ): Promise<Map<string, Receiver[]>> {
    const byUser = new Map<string, Receiver[]>();
    for (const receiver of await this.deliveries.receiversOf(userIds, [type], tx)) {
      const user = receiver.userId.toHexString();
      byUser.set(user, [...(byUser.get(user) ?? []), receiver]);
    }
    return byUser;
  }
}
