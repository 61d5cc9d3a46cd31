import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import { type ModerationTarget, ModerationTargets } from '../moderation/moderation-targets.js';
import { type Removal, REMOVED_MS } from '../moderation/removal.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { TaskHandlers } from '../platform/work-queue/task-handlers.js';
import { POST_REMOVAL_EXPIRED } from './posts.events.js';
import { PostDeletionsService } from './post-deletions.service.js';
import { PostWritesService } from './post-writes.service.js';
import { StoredPostsService } from './stored-posts.service.js';

/** Removes posts for moderators: a removed post is private, and is deleted after 30 days unless a moderator restores it. */
@Injectable()
export class PostRemovalsService implements ModerationTarget, OnModuleInit {
  constructor(
    private readonly mongo: MongoService,
    private readonly writes: PostWritesService,
    private readonly deletions: PostDeletionsService,
    private readonly rows: StoredPostsService,
    private readonly handlers: TaskHandlers,
    targets: ModerationTargets,
  ) {
    targets.register('post', this);
  }

  onModuleInit(): void {
    const run = ({ payload }: { payload: ObjectId }) =>
      this.mongo.transaction((tx) => this.deletions.deleteExpired(payload, tx));
    this.handlers.register(POST_REMOVAL_EXPIRED, { name: 'posts: removed', lane: 'foreground', run });
  }

  async ownerOf(id: ObjectId, tx: Transaction): Promise<ObjectId> {
    return (await this.rows.getLive(id, tx)).authorId;
  }

  /** @throws CodedError `post_not_found`, `already_removed` */
  async moderate(id: ObjectId, removal: Removal, tx: Transaction): Promise<void> {
    await this.writes.setRemoval(id, removal, tx);
    const runAt = new Date(removal.at.getTime() + REMOVED_MS);
    tx.addTask(POST_REMOVAL_EXPIRED, id, { runAt });
  }

  /** Restores the visibility that the post had, with its place in lists and its counters. @throws CodedError `post_not_found`, `not_removed` */
  async restore(id: ObjectId, tx: Transaction): Promise<void> {
    await this.writes.setRemoval(id, null, tx);
  }
}
