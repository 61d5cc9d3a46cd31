import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Collection, Filter, ObjectId } from 'mongodb';
import { unlessChanged } from '../moderation/removal.js';
import { ModerationHistoryService } from '../moderation/moderation-history.service.js';
import { PHASE, type HandlerContext, TaskHandlers, repeatUntilEmpty } from '../platform/work-queue/task-handlers.js';
import { type Projected, type Projection, streamBatches } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { PostsService } from '../posts/posts.service.js';
import { POST_DELETED } from '../posts/posts.events.js';
import { isLimited, removingAction } from '../users/standing.js';
import { UsersService } from '../users/users.service.js';
import { ACCOUNT_ENDED, AUTHOR_CHANGED, STANDING_CHANGED } from '../users/users.events.js';
import { type Comment, COMMENTS, CommentSchema } from './comment.schema.js';
import { CommentRemovalsService } from './comment-removals.service.js';
import { CommentDeletionsService, HAS_TEXT } from './comment-deletions.service.js';
import { tagsOf, tagsOfChanged, tagsOfShown } from './comment-view.js';
import { COMMENT_DELETED } from './comments.events.js';

type OwnComment<Fields> = Pick<Comment, '_id'> & Projected<Comment, Fields>;

/** Interactions deletes the votes of the comments first. */
const AFTER_VOTES = PHASE.children + 10;

/** Background tasks of comments: delete comments of deleted posts, accounts and roots; update the names of renamed authors. */
@Injectable()
export class CommentsSubscriber implements OnModuleInit {
  private readonly comments: Collection<Comment>;

  constructor(
    private readonly mongo: MongoService,
    private readonly posts: PostsService,
    private readonly users: UsersService,
    private readonly deletions: CommentDeletionsService,
    private readonly removals: CommentRemovalsService,
    private readonly history: ModerationHistoryService,
    private readonly handlers: TaskHandlers,
  ) {
    this.comments = mongo.collection(CommentSchema);
  }

  onModuleInit(): void {
    const order = AFTER_VOTES;
    const name = 'comments';
    this.handlers.register(POST_DELETED, { name, order, run: (context) => this.deleteCommentsOfPost(context) });
    this.handlers.register(COMMENT_DELETED, {
      name: 'comments: rest of the tree',
      lane: 'both',
      order: 0,
      run: (context) => this.hideTree(context),
    });
    this.handlers.register(COMMENT_DELETED, { name, order, run: (context) => this.deleteInvisible(context) });
    const ofAccount = (context: HandlerContext) => this.deleteCommentsOf(context);
    this.handlers.register(ACCOUNT_ENDED, { name, lane: 'foreground', order: PHASE.first, run: ofAccount });
    this.handlers.register(ACCOUNT_ENDED, { name, order, run: ofAccount });
    this.handlers.register(ACCOUNT_ENDED, {
      name: 'comments: tombstones',
      order: PHASE.last,
      run: (context) => this.anonymizeAuthor(context),
    });
    const refresh = (context: HandlerContext) => this.refreshSnapshots(context);
    this.handlers.register(AUTHOR_CHANGED, { name, lane: 'both', order, run: refresh });
    const propagate = (context: HandlerContext) => this.propagateStanding(context);
    this.handlers.register(STANDING_CHANGED, { name: 'comments: standing', lane: 'foreground', run: propagate });
  }

  /** Deletes the comments of a deleted post, and updates its counter while the post exists. */
  private async deleteCommentsOfPost(context: HandlerContext): Promise<void> {
    const { payload: targetId, batchSize } = context;
    await repeatUntilEmpty(context.throttle, () =>
      this.mongo.transaction(async (tx) => {
        const rows = await this.comments
          .find({ postId: targetId }, { projection: { deletedAt: 1 }, session: tx.session })
          .limit(batchSize)
          .toArray();
        const live = rows.filter(({ deletedAt }) => deletedAt === null).length;
        await this.posts.applyStats(new Map([[targetId.toHexString(), { commentsCount: -live }]]), tx);
        if (rows.length > 0) await this.comments.deleteMany({ _id: { $in: idsOf(rows) } }, { session: tx.session });
        tx.invalidate(tagsOfChanged(idsOf(rows)));
        return rows.length;
      }),
    );
  }

  private async hideTree(context: HandlerContext): Promise<void> {
    const { payload: targetId, batchSize } = context;
    const root = await this.comments.findOne({ _id: targetId }, { projection: { isVisible: 1, postId: 1 } });
    if (root === null || root.isVisible) return;
    await repeatUntilEmpty(context.throttle, () =>
      this.mongo.transaction(async (tx) => {
        const count = await this.deletions.deleteBelow(targetId, batchSize, tx);
        if (count > 0) tx.invalidate(tagsOf([root]));
        return count;
      }),
    );
  }

  /** Deletes invisible comments below a root. Does not delete tombstones that have visible replies. */
  private async deleteInvisible(context: HandlerContext): Promise<void> {
    const { payload: targetId } = context;
    await context.deleteInBatches(COMMENTS, { ancestors: targetId, isVisible: false });
    await context.deleteInBatches(COMMENTS, { _id: targetId, isVisible: false });
  }

  private async deleteCommentsOf(context: HandlerContext): Promise<void> {
    for await (const rows of this.ownBatches(context, HAS_TEXT, { ancestors: 1, postId: 1 })) {
      await this.mongo.transaction(async (tx) => {
        await this.deletions.markDeleted(rows, tx);
        tx.invalidate(tagsOf(rows));
      });
      await context.throttle(rows.length);
    }
  }

  /** Removes the name of a deleted author from tombstones, which are not deleted while they have replies. */
  private async anonymizeAuthor({ payload: authorId, batchSize, throttle }: HandlerContext): Promise<void> {
    const filter = { authorId, 'authorSnapshot.username': { $ne: '' } };
    await repeatUntilEmpty(throttle, async () => {
      const rows = await this.comments
        .find(filter, { projection: { _id: 1 } })
        .limit(batchSize)
        .toArray();
      const authorSnapshot = { username: '', fullName: '', profilePicture: null };
      if (rows.length > 0) await this.comments.updateMany({ _id: { $in: idsOf(rows) } }, { $set: { authorSnapshot } });
      return rows.length;
    });
  }

  /** Updates the copies of an author's name and image. Idempotent. */
  private async refreshSnapshots(context: HandlerContext): Promise<void> {
    for await (const rows of this.ownBatches(context, {}, { postId: 1, authorSnapshot: 1 })) {
      const [user] = await this.users.findUsers([context.payload]);
      if (user === undefined) return;
      const { username, fullName, profilePicture } = user;
      const stale = rows.filter(
        ({ authorSnapshot: copy }) =>
          copy.username !== username || copy.fullName !== fullName || copy.profilePicture !== profilePicture,
      );
      if (stale.length > 0) {
        const authorSnapshot = { username, fullName, profilePicture };
        await this.mongo.transaction(async (tx) => {
          await this.comments.updateMany(
            { _id: { $in: idsOf(stale) } },
            { $set: { authorSnapshot } },
            { session: tx.session },
          );
          tx.invalidate(tagsOf(stale));
        });
      }
      await context.throttle(rows.length);
    }
  }

  /** Removes the comments of a restricted author, or hides them in lists, and shows them when the restriction ends. Idempotent. */
  private async propagateStanding(context: HandlerContext): Promise<void> {
    const [user] = await this.users.findUsers([context.payload]);
    if (user === undefined) return;
    const removal = await this.history.removalBy(removingAction(user.standing));
    if (removal === null)
      await this.forEachOwn(context, { 'removal.isOfAccount': true }, (id, tx) => this.removals.restore(id, tx));
    else
      await this.forEachOwn(context, { deletedAt: null }, (id, tx) => this.removals.moderate(id, { ...removal }, tx));
    await this.setLimited(context, isLimited(user.standing));
  }

  /** Changes the visible comments of an author, latest first, each in a transaction. Skips those that another action has changed. */
  private async forEachOwn(
    context: HandlerContext,
    filter: Filter<Comment>,
    change: (id: ObjectId, tx: Transaction) => Promise<void>,
  ): Promise<void> {
    for await (const rows of this.ownBatches(context, { isVisible: true, ...filter }, { _id: 1 })) {
      for (const { _id } of rows) await unlessChanged(this.mongo.transaction((tx) => change(_id, tx)));
      await context.throttle(rows.length);
    }
  }

  private async setLimited(context: HandlerContext, isOmitted: boolean): Promise<void> {
    const isStale = { isLimited: isOmitted ? { $ne: true } : true };
    const change = isOmitted ? { $set: { isLimited: true } } : { $unset: { isLimited: 1 as const } };
    for await (const rows of this.ownBatches(context, isStale, { postId: 1, authorSnapshot: 1 })) {
      await this.mongo.transaction(async (tx) => {
        await this.comments.updateMany({ _id: { $in: idsOf(rows) } }, change, { session: tx.session });
        tx.invalidate(tagsOfShown(rows));
      });
      await context.throttle(rows.length);
    }
  }

  /** Streams the comments of the account of a task, latest first. */
  private ownBatches<const Fields extends Projection<Comment>>(
    { payload: authorId, batchSize }: HandlerContext,
    filter: Filter<Comment>,
    projection: Fields,
  ): AsyncGenerator<OwnComment<Fields>[]> {
    return streamBatches<OwnComment<Fields>>(batchSize, (last, limit) => {
      const before = last === null ? {} : { _id: { $lt: last._id } };
      const options = { projection, sort: { _id: -1 }, limit } as const;
      return this.comments.find<OwnComment<Fields>>({ authorId, ...before, ...filter }, options).toArray();
    });
  }
}

function idsOf(rows: { _id: ObjectId }[]): ObjectId[] {
  return rows.map(({ _id }) => _id);
}
