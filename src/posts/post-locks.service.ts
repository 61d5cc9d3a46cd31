import { Injectable } from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import { CodedError } from '../common/errors.js';
import { ModerationHistoryService } from '../moderation/moderation-history.service.js';
import type { Viewer } from '../platform/access/viewer.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { StoredPostsService } from './stored-posts.service.js';

/** Locks posts, which then accept no new comments, and unlocks them. */
@Injectable()
export class PostLocksService {
  constructor(
    private readonly mongo: MongoService,
    private readonly rows: StoredPostsService,
    private readonly history: ModerationHistoryService,
  ) {}

  /** Sets whether a post accepts new comments, for its author. @throws CodedError `post_not_found`, `forbidden`, also for the lock of a moderator */
  async lock(id: ObjectId, viewer: Viewer, isLocked: boolean): Promise<void> {
    await this.mongo.transaction(async (tx) => {
      const row = await this.rows.getOwn(id, viewer, tx);
      if (row.isLocked === isLocked) return;
      // The log has only the locks of moderators.
      const latest = await this.history.findLatest({ targetKind: 'post', targetId: id }, ['lock', 'unlock'], tx);
      if (latest?.kind === 'lock') throw new CodedError('forbidden', 'A moderator locked this post. You can appeal.');
      await this.writeLock(id, isLocked, tx);
    });
  }

  /** Locks or unlocks a post in the transaction of an action. @throws CodedError `post_not_found`, `post_locked`, `post_not_locked` */
  async setLock(id: ObjectId, isLocked: boolean, tx: Transaction): Promise<void> {
    const row = await this.rows.getLive(id, tx);
    if (row.isLocked === isLocked)
      throw isLocked
        ? new CodedError('post_locked', 'The post is already locked.')
        : new CodedError('post_not_locked', 'The post is not locked.');
    await this.writeLock(id, isLocked, tx);
  }

  private async writeLock(id: ObjectId, isLocked: boolean, tx: Transaction): Promise<void> {
    // Comments also write this row, so a concurrent comment runs again and finds the lock.
    await this.rows.setFields(id, { isLocked }, tx);
    tx.invalidate([`post:${id.toHexString()}`]);
  }
}
