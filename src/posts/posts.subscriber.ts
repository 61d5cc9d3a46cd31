import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Collection, Filter, ObjectId } from 'mongodb';
import { CodedError } from '../common/errors.js';
import { MediaRefsService } from '../media/media-refs.service.js';
import { unlessChanged } from '../moderation/removal.js';
import { ModerationHistoryService } from '../moderation/moderation-history.service.js';
import { PHASE, type HandlerContext, repeatUntilEmpty, TaskHandlers } from '../platform/work-queue/task-handlers.js';
import { streamBatches } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import type { AuthorSnapshot } from '../users/author-snapshot.js';
import { isLimited, removingAction } from '../users/standing.js';
import { UsersService } from '../users/users.service.js';
import { ACCOUNT_ENDED, AUTHOR_CHANGED, STANDING_CHANGED } from '../users/users.events.js';
import { type Post, PostSchema } from './post.schema.js';
import { PostHtmlSchema } from './html/post-html.schema.js';
import { olderThan, LATEST, type Position, positionOf } from './publication-order.js';
import { PostBodySchema } from './post-body.schema.js';
import { PostDeletionsService } from './post-deletions.service.js';
import { PostRemovalsService } from './post-removals.service.js';
import { PostWritesService } from './post-writes.service.js';
import { POST_DELETED } from './posts.events.js';
import { ownPosts } from './visibility.js';

/** The number of posts that one transaction marks after the deletion of their author. */
const ACCOUNT_BATCH = 100;
/** The number of posts that one transaction updates. Votes on these posts conflict with the transaction. */
const AUTHOR_BATCH = 50;

/** Selects posts that others can read. */
const READABLE = { $or: [{ isPublic: true }, { isUnlisted: true }] };

/** Background tasks of posts: deletes the rows of deleted posts and accounts, and updates copies of authors. */
@Injectable()
export class PostsSubscriber implements OnModuleInit {
  private readonly posts: Collection<Post>;

  constructor(
    private readonly mongo: MongoService,
    private readonly writes: PostWritesService,
    private readonly deletions: PostDeletionsService,
    private readonly removals: PostRemovalsService,
    private readonly history: ModerationHistoryService,
    private readonly mediaRefs: MediaRefsService,
    private readonly users: UsersService,
    private readonly handlers: TaskHandlers,
  ) {
    this.posts = mongo.collection(PostSchema);
  }

  onModuleInit(): void {
    this.handlers.register(POST_DELETED, {
      name: 'posts: parts',
      order: PHASE.default,
      run: (context) => this.deleteParts(context),
    });
    this.handlers.register(POST_DELETED, {
      name: 'posts: card',
      order: PHASE.last,
      run: (context) => this.deleteCard(context),
    });
    this.handlers.register(ACCOUNT_ENDED, {
      name: 'posts: of the account',
      lane: 'both',
      order: PHASE.first,
      run: (context) => this.deletePostsOf(context),
    });
    this.handlers.register(AUTHOR_CHANGED, {
      name: 'posts: author',
      lane: 'both',
      order: PHASE.children,
      run: (context) => this.propagateAuthor(context),
    });
    this.handlers.register(STANDING_CHANGED, {
      name: 'posts: standing',
      lane: 'foreground',
      run: (context) => this.propagateStanding(context),
    });
  }

  private async deleteParts({ payload: targetId, throttle }: HandlerContext): Promise<void> {
    const post = await this.posts.findOne({ _id: targetId }, { projection: { authorId: 1, deletedAt: 1 } });
    if (post !== null && post.deletedAt === null) throw new Error('the post is not deleted');
    await this.mediaRefs.detach(targetId);
    await this.mongo.collection(PostBodySchema).deleteOne({ _id: targetId });
    await this.mongo.collection(PostHtmlSchema).deleteOne({ _id: targetId });
    // Also removes a reference that was added during the deletion.
    if (post !== null) await this.users.removeFeatured(post.authorId, targetId);
    await throttle(3);
  }

  private async deleteCard({ payload: targetId, throttle }: HandlerContext): Promise<void> {
    await this.posts.deleteOne({ _id: targetId, deletedAt: { $ne: null } });
    await throttle(1);
  }

  /** Deletes each batch in one transaction, with the code of a single deletion. Every post adds its own task. */
  private async deletePostsOf({ payload: targetId, throttle }: HandlerContext): Promise<void> {
    await repeatUntilEmpty(throttle, () =>
      this.mongo.transaction(async (tx) => {
        const options = { sort: LATEST, limit: ACCOUNT_BATCH, session: tx.session };
        const rows = await this.posts.find(ownPosts(targetId), options).toArray();
        if (rows.length > 0) await this.deletions.markDeleted(rows, tx);
        return rows.length;
      }),
    );
  }

  /** Reads the author's posts once, newest first, and writes only copies that differ. Does not change `updatedAt` and versions. */
  private async propagateAuthor({ payload: targetId, batchSize, throttle }: HandlerContext): Promise<void> {
    const options = { projection: { createdAt: 1 }, sort: LATEST, limit: Math.min(batchSize, AUTHOR_BATCH) };
    let last: Position | null = null;
    await repeatUntilEmpty(throttle, async () => {
      // Reads the author for every batch, because the account may be renamed between batches.
      const snapshot = await this.findSnapshot(targetId);
      if (snapshot === null) return 0;
      const rows = await this.posts.find(staleCopies(targetId, snapshot, last), options).toArray();
      if (rows.length === 0) return 0;
      const change = { $set: { authorSnapshot: snapshot } };
      await this.mongo.transaction(async (tx) => {
        await this.posts.updateMany({ _id: { $in: rows.map(({ _id }) => _id) } }, change, { session: tx.session });
        tx.invalidate(['feed', `user:${targetId.toHexString()}`]);
      });
      last = positionOf(rows.at(-1)!);
      return rows.length;
    });
  }

  /** Removes the posts of a restricted author, or from lists only. They return when the author is in good standing again. Idempotent. */
  private async propagateStanding(context: HandlerContext): Promise<void> {
    const user = await this.users.findById(context.payload);
    if (user === null) return;
    const removal = await this.history.removalBy(removingAction(user.standing));
    if (removal === null)
      await this.forEachOwn(context, { 'removal.isOfAccount': true }, (id, tx) => this.removals.restore(id, tx));
    else await this.forEachOwn(context, READABLE, (id, tx) => this.removals.moderate(id, { ...removal }, tx));
    const stale = { isPublic: true, isListed: isLimited(user.standing) };
    await this.forEachOwn(context, stale, (id, tx) => this.writes.setLimited(id, tx));
  }

  /** Changes the posts of an author, latest first, each in a transaction. Skips those that another action has changed. */
  private async forEachOwn(
    { payload: authorId, throttle }: HandlerContext,
    filter: Filter<Post>,
    change: (id: ObjectId, tx: Transaction) => Promise<void>,
  ): Promise<void> {
    const batches = streamBatches<Pick<Post, '_id' | 'createdAt'>>(AUTHOR_BATCH, (last, limit) => {
      const own = { $and: [ownPosts(authorId), filter, last === null ? {} : olderThan(positionOf(last))] };
      return this.posts.find(own, { projection: { createdAt: 1 }, sort: LATEST, limit }).toArray();
    });
    for await (const rows of batches) {
      for (const { _id } of rows) await unlessChanged(this.mongo.transaction((tx) => change(_id, tx)));
      await throttle(rows.length);
    }
  }

  /** Returns null for a deleted account, whose posts are also deleted. */
  private async findSnapshot(userId: ObjectId): Promise<AuthorSnapshot | null> {
    try {
      return await this.users.getSnapshot(userId);
    } catch (error) {
      if (error instanceof CodedError && error.code === 'user_not_found') return null;
      throw error;
    }
  }
}

function staleCopies(
  authorId: ObjectId,
  { username, fullName, profilePicture }: AuthorSnapshot,
  last: Position | null,
) {
  return {
    ...ownPosts(authorId),
    ...(last === null ? {} : olderThan(last)),
    $or: [
      { 'authorSnapshot.username': { $ne: username } },
      { 'authorSnapshot.fullName': { $ne: fullName } },
      { 'authorSnapshot.profilePicture': { $ne: profilePicture } },
    ],
  };
}
