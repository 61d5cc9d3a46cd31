import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Collection, ObjectId } from 'mongodb';
import { ACCOUNT_BLOCKED } from '../blocks/blocks.events.js';
import { PHASE, type HandlerContext, repeatUntilEmpty, TaskHandlers } from '../platform/work-queue/task-handlers.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { UsersService } from '../users/users.service.js';
import { ACCOUNT_ENDED } from '../users/users.events.js';
import { type Follow, FollowSchema } from './follow.schema.js';
import type { FollowStats } from './follow-plan.js';
import { FollowWriterService } from './follow-writer.service.js';

/** Ends the follows of a blocked pair. Removes a deleted account from both lists of all others, with the counters. */
@Injectable()
export class FollowsSubscriber implements OnModuleInit {
  private readonly rows: Collection<Follow>;

  constructor(
    private readonly mongo: MongoService,
    private readonly users: UsersService,
    private readonly writer: FollowWriterService,
    private readonly handlers: TaskHandlers,
  ) {
    this.rows = mongo.collection(FollowSchema);
  }

  onModuleInit(): void {
    this.mongo.hook(ACCOUNT_BLOCKED, ({ ownerId, otherId }, tx) => {
      const pairs = [[ownerId, otherId] as const, [otherId, ownerId] as const];
      return this.writer.end(pairs, tx);
    });
    this.handlers.register(ACCOUNT_ENDED, {
      name: 'follows',
      lane: 'both',
      order: PHASE.children,
      run: (context) => this.deleteFollowsOf(context),
    });
  }

  private async deleteFollowsOf({ payload: targetId, batchSize, throttle }: HandlerContext): Promise<void> {
    for (const side of ['followerId', 'followingId'] as const)
      await repeatUntilEmpty(throttle, () => this.deleteBatch(side, targetId, batchSize));
  }

  private deleteBatch(side: 'followerId' | 'followingId', userId: ObjectId, limit: number): Promise<number> {
    return this.mongo.transaction(async (tx) => {
      const rows = await this.rows
        .find({ [side]: userId }, { session: tx.session })
        .sort({ seq: -1 })
        .limit(limit)
        .toArray();
      if (rows.length === 0) return 0;
      const stats = new Map<string, FollowStats>();
      const take = (id: ObjectId, field: keyof FollowStats): void => {
        const change = stats.get(id.toHexString()) ?? { followersCount: 0, followingCount: 0 };
        change[field] -= 1;
        stats.set(id.toHexString(), change);
      };
      for (const { followerId, followingId } of rows) {
        take(followerId, 'followingCount');
        take(followingId, 'followersCount');
      }
      await this.users.applyStats(stats, tx);
      await this.rows.deleteMany({ _id: { $in: rows.map(({ _id }) => _id) } }, { session: tx.session });
      return rows.length;
    });
  }
}
