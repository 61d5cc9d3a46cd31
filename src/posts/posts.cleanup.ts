import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Collection, ObjectId } from 'mongodb';
import { CodedError } from '../common/errors.js';
import { eventsOf, windowsOf } from './events/event-keys.js';
import { ResponseCache } from '../platform/cache/response-cache.js';
import { SWEEP_ORDER, type SweepContext, SweepHandlers } from '../platform/outbox/outbox-handlers.js';
import { ACCOUNT_TASK, AUTHOR_SNAPSHOT_TASK, POST_TASK } from '../platform/outbox/outbox.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { AuthorSnapshot } from '../users/author-snapshot.js';
import { UsersService } from '../users/users.service.js';
import { daysOf } from './events/event-id.js';
import { POST_BODIES, POST_EVENT_DAYS, POST_EVENTS, type PostRow, POSTS } from './post-row.js';
import { PostWritesService } from './post-writes.service.js';
import { ownPosts } from './visibility.js';

/** Posts marked in one transaction when their author's account ends. */
const ACCOUNT_BATCH = 100;

/** What the sweeper does to posts: removes deleted ones, deletes those of ended accounts, brings copies of authors up to date. */
@Injectable()
export class PostsSweep implements OnModuleInit {
  private readonly posts: Collection<PostRow>;

  constructor(
    private readonly mongo: MongoService,
    private readonly writes: PostWritesService,
    private readonly users: UsersService,
    private readonly cache: ResponseCache,
    private readonly handlers: SweepHandlers,
  ) {
    this.posts = mongo.collection<PostRow>(POSTS);
  }

  onModuleInit(): void {
    const { seen, children, middle, target } = SWEEP_ORDER;
    this.handlers.register(POST_TASK, {
      name: 'posts: parts',
      order: middle,
      run: (context) => this.removeParts(context),
    });
    this.handlers.register(POST_TASK, {
      name: 'posts: card',
      order: target,
      run: (context) => this.removeCard(context),
    });
    for (const pass of ['early', 'final'] as const) {
      const endAccount = (context: SweepContext) => this.deletePostsOf(context);
      const propagate = (context: SweepContext) => this.propagateAuthor(context);
      this.handlers.register(ACCOUNT_TASK, { name: 'posts: of the account', pass, order: seen, run: endAccount });
      this.handlers.register(AUTHOR_SNAPSHOT_TASK, { name: 'posts: author', pass, order: children, run: propagate });
    }
  }

  private async removeParts({ targetId, spend, deleteInBatches }: SweepContext): Promise<void> {
    const post = await this.posts.findOne({ _id: targetId }, { projection: { authorId: 1, deletedAt: 1 } });
    if (post !== null && post.deletedAt === null) throw new Error('the post is not deleted');
    // before the days: an event that is folded meanwhile is found there
    for (const endsAt of await windowsOf(this.mongo.collection(POST_EVENTS)))
      await deleteInBatches(POST_EVENTS, eventsOf(targetId, endsAt));
    await deleteInBatches(POST_EVENT_DAYS, daysOf(targetId));
    await this.mongo.collection(POST_BODIES).deleteOne({ _id: targetId });
    // also for a reference that was being added while the post was deleted
    if (post !== null) await this.users.removeFeatured(post.authorId, targetId);
    await spend(2);
  }

  private async removeCard({ targetId, spend }: SweepContext): Promise<void> {
    await this.posts.deleteOne({ _id: targetId, deletedAt: { $ne: null } });
    await spend(1);
  }

  /** Each batch in one transaction, through the same door as a deletion by hand; every post leaves a task of its own. */
  private async deletePostsOf({ targetId, spend }: SweepContext): Promise<void> {
    for (;;) {
      const rows = await this.mongo.transaction(async (session) => {
        const batch = await this.posts
          .find(ownPosts(targetId), { session })
          .sort({ _id: -1 })
          .limit(ACCOUNT_BATCH)
          .toArray();
        if (batch.length > 0) await this.writes.markDeleted(batch, session);
        return batch;
      });
      if (rows.length === 0) return;
      this.cache.invalidate(['feed', 'top-writers', ...rows.map(({ _id }) => `post:${_id.toHexString()}`)]);
      await spend(rows.length);
    }
  }

  /** Walks the author's posts once, by id, and writes only copies that differ; `updatedAt` and versions stay. */
  private async propagateAuthor({ targetId, batchSize, spend }: SweepContext): Promise<void> {
    for (let last: ObjectId | null = null; ;) {
      // read again for every batch: the account may be renamed again meanwhile
      const snapshot = await this.findSnapshot(targetId);
      if (snapshot === null) return;
      const rows = await this.posts
        .find(staleCopies(targetId, snapshot, last), { projection: { _id: 1 } })
        .sort({ _id: -1 })
        .limit(batchSize)
        .toArray();
      if (rows.length === 0) return;
      await this.posts.updateMany({ _id: { $in: rows.map(({ _id }) => _id) } }, { $set: { authorSnapshot: snapshot } });
      this.cache.invalidate(['feed', `user:${targetId.toHexString()}`]);
      last = rows.at(-1)!._id;
      await spend(rows.length);
    }
  }

  /** Null for an account that has ended: its posts go the way of the account. */
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
  before: ObjectId | null,
) {
  return {
    ...ownPosts(authorId),
    ...(before === null ? {} : { _id: { $lt: before } }),
    $or: [
      { 'authorSnapshot.username': { $ne: username } },
      { 'authorSnapshot.fullName': { $ne: fullName } },
      { 'authorSnapshot.profilePicture': { $ne: profilePicture } },
    ],
  };
}
