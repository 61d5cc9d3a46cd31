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
import { PostsService, type PostVersion } from '../posts/posts.service.js';
import { canRead } from '../posts/visibility.js';
import { UserAccountsService } from '../users/user-accounts.service.js';
import { UsersService } from '../users/users.service.js';
import { WebhookDeliveriesService } from './webhook-deliveries.service.js';
import type { WebhookEvent } from './webhook-events.js';
import { type Receiver, WebhookReceiversService } from './webhook-receivers.service.js';

/** Adds deliveries for what happens to posts, comments and followers: for the webhooks of their accounts, and the public ones for those of the site. */
@Injectable()
export class WebhooksSubscriber implements OnModuleInit {
  constructor(
    private readonly mongo: MongoService,
    private readonly handlers: TaskHandlers,
    private readonly activity: ActivityProcessorService,
    private readonly receivers: WebhookReceiversService,
    private readonly deliveries: WebhookDeliveriesService,
    private readonly posts: PostsService,
    private readonly comments: CommentsService,
    private readonly accounts: UserAccountsService,
    private readonly users: UsersService,
  ) {}

  onModuleInit(): void {
    const name = 'webhooks';
    const order = PHASE.first;
    const onPost = (topic: Topic<ObjectId>, type: WebhookEvent, lane: 'fanout' | 'foreground'): void => {
      const add = ({ id, payload }: HandlerContext) =>
        this.mongo.transaction((tx) => this.addOfTask(type, payload, id, tx));
      const run = async (context: HandlerContext) => {
        if (await this.receivers.isRequested(type)) await add(context);
      };
      this.handlers.register(topic, { name, lane, order, run });
    };
    onPost(POST_LISTED, 'post.published', 'fanout');
    onPost(POST_HIDDEN, 'post.hidden', 'foreground');
    // Before the cleanup in the background lane deletes the row.
    onPost(POST_DELETED, 'post.deleted', 'foreground');
    this.mongo.hook(POST_EDITED, ({ row }, tx) => this.addOfWrite('post.updated', row, tx));
    this.mongo.hook(POST_TRASHED, ({ row }, tx) => this.addOfWrite('post.deleted', row, tx));
    this.mongo.hook(COMMENT_EDITED, (comment, tx) => this.addOfComments('comment.edited', [comment], tx));
    const onDeletedComment = async ({ id, payload }: HandlerContext) => {
      if (await this.receivers.isRequested('comment.deleted'))
        await this.mongo.transaction((tx) => this.addOfDeletedComment(payload, id, tx));
    };
    this.handlers.register(COMMENT_DELETED, { name, lane: 'foreground', order, run: onDeletedComment });
    this.activity.register({ name, apply: (facts, tx) => this.apply(facts, tx) });
  }

  /** In the transaction of an author's write. A hook of POST_TRASHED runs before the post leaves lists. */
  private async addOfWrite(
    type: WebhookEvent,
    { _id, authorId }: Pick<PostVersion, '_id' | 'authorId'>,
    tx: Transaction,
  ): Promise<void> {
    if (!(await this.receivers.isRequested(type))) return;
    const receivers = await this.receivers.find([authorId], type, tx);
    const post = receivers.isEmpty ? null : await this.posts.findVersion(_id, tx);
    if (post !== null) await this.addOfPost(type, post, receivers.of([authorId], post.isListed), new ObjectId(), tx);
  }

  /** After the commit: the post may have changed again. */
  private async addOfTask(type: WebhookEvent, postId: ObjectId, id: ObjectId, tx: Transaction): Promise<void> {
    const post = await this.posts.findVersion(postId, tx);
    if (post === null) return;
    const { authorId, isListed, isPublic, deletedAt, removal } = post;
    // The event of a post in the trash was its deletion, which posts that were removed, or deleted with their author, have without it.
    const wasInTrash = deletedAt !== null && removal === undefined && (await this.accounts.actor(authorId)) !== null;
    if (wasInTrash && type !== 'post.published') return;
    const receivers = await this.receivers.find([authorId], type, tx);
    const isOfSite =
      type === 'post.published' ? isListed : type === 'post.hidden' || isPublic || removal?.visibility === 'public';
    await this.addOfPost(type, post, receivers.of([authorId], isOfSite), id, tx);
  }

  private async addOfPost(
    type: WebhookEvent,
    { _id, slug, version }: PostVersion,
    receivers: Receiver[],
    id: ObjectId,
    tx: Transaction,
  ): Promise<void> {
    await this.deliveries.add([{ id, type, data: { id: _id.toHexString(), slug, version }, receivers }], tx);
  }

  /** For the author of the post, and for those of the comments who may read the post. */
  private async addOfComments(
    type: WebhookEvent,
    comments: Iterable<ChangedComment>,
    tx: Transaction,
    idOf = () => new ObjectId(),
  ): Promise<void> {
    if (!(await this.receivers.isRequested(type))) return;
    const rows = [...comments];
    const posts = await this.posts.findTargets(uniqueIds(rows.map(({ postId }) => postId)), tx);
    const ownersOf = ({ postId, authorId }: ChangedComment): ObjectId[] => {
      const post = posts.get(postId.toHexString());
      return post === undefined ? [] : uniqueIds([post.authorId, ...(canRead(post, authorId) ? [authorId] : [])]);
    };
    const receivers = await this.receivers.find(uniqueIds(rows.flatMap(ownersOf)), type, tx);
    if (receivers.isEmpty) return;
    const messages = rows.map((row) => {
      const isPublic = posts.get(row.postId.toHexString())?.isListed === true;
      const version = row.updatedAt.getTime();
      const data = { id: row._id.toHexString(), version, postId: row.postId.toHexString() };
      return { id: idOf(), type, data, receivers: receivers.of(ownersOf(row), isPublic) };
    });
    await this.deliveries.add(messages, tx);
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
    if (comments.length > 0 && (await this.receivers.isRequested('comment.created'))) {
      const ids = comments.map(({ target }) => target);
      const created = [...(await this.comments.findTargets(ids, tx)).values()];
      const visible = created.filter(({ isVisible, deletedAt }) => isVisible && deletedAt === null);
      await this.addOfComments('comment.created', visible, tx);
    }
    if (follows.length > 0 && (await this.receivers.isRequested('follow.created'))) await this.addFollows(follows, tx);
  }

  private async addFollows(follows: readonly Fact[], tx: Transaction): Promise<void> {
    const type = 'follow.created';
    const receivers = await this.receivers.find(uniqueIds(follows.map(({ target }) => target)), type, tx);
    const received = follows.filter(({ target }) => receivers.of([target], false).length > 0);
    const actors = uniqueIds(received.map(({ actor }) => actor));
    const followers = await this.users.findParts(actors, ['username'], tx);
    const names = new Map(followers.map(({ _id, username }) => [_id.toHexString(), username]));
    const messages = received.flatMap(({ actor, target }) => {
      const id = actor.toHexString();
      const username = names.get(id);
      if (username === undefined) return [];
      return [{ id: new ObjectId(), type, data: { id, username }, receivers: receivers.of([target], false) } as const];
    });
    await this.deliveries.add(messages, tx);
  }
}
