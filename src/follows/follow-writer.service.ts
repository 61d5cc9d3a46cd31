import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type { Binary, Collection, ObjectId } from 'mongodb';
import { pairId } from '../common/binary-ids.js';
import { GroupCommit } from '../common/group-commit.js';
import { HostTurns } from '../platform/cluster/host-turns.js';
import { byIds, type InTransaction } from '../platform/mongo/batch-commands.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { UsersService } from '../users/users.service.js';
import { type FollowItem, type FollowPlan, type FollowResult, type FollowWorld, planFollows } from './follow-plan.js';
import { type FollowRow, FOLLOWS } from './follow.schema.js';

/** Follows of this process, committed in groups: rows and both sides' counters in one transaction. */
@Injectable()
export class FollowWriter implements BeforeApplicationShutdown {
  readonly group: GroupCommit<FollowItem, FollowResult>;
  private readonly rows: Collection<FollowRow>;

  constructor(
    private readonly mongo: MongoService,
    private readonly users: UsersService,
    turns: HostTurns,
  ) {
    this.rows = mongo.collection<FollowRow>(FOLLOWS);
    this.group = new GroupCommit({
      name: 'follows',
      turn: () => turns.take('follows', { keepsPlace: true }),
      commit: (items) => this.commit(items),
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.group.close();
  }

  private commit(items: FollowItem[]): Promise<(FollowResult | Error)[]> {
    return this.mongo.batchTransaction(async (session) => {
      const plan = planFollows(items, await this.read(items, session), new Date());
      await this.write(plan, session);
      return plan.results;
    });
  }

  private async read(items: FollowItem[], session: InTransaction): Promise<FollowWorld> {
    const userIds = new Map<string, ObjectId>();
    const rowIds = new Map<string, Binary>();
    for (const { followerId, followingId } of items) {
      userIds.set(followerId.toHexString(), followerId);
      userIds.set(followingId.toHexString(), followingId);
      const rowId = pairId(followerId, followingId);
      rowIds.set(rowId.toString('hex'), rowId);
    }
    const filter = byIds([...rowIds.values()]);
    const [users, rows] = await Promise.all([
      this.users.findParts([...userIds.values()], ['username', 'stats'], session),
      this.mongo.batch.find<Pick<FollowRow, '_id'>>(this.rows, filter, { _id: 1 }, rowIds.size, session),
    ]);
    return {
      users: new Map(users.map((user) => [user._id.toHexString(), user])),
      rows: new Set(rows.map(({ _id }) => _id.toString('hex'))),
    };
  }

  private async write({ inserts, deletes, userStats }: FollowPlan, session: InTransaction): Promise<void> {
    // counters first: workers that collide on a well-known account find out before they have written the rows
    await Promise.all([
      this.users.applyStats(userStats, session),
      this.mongo.batch.insert(this.rows, inserts, session),
      this.mongo.batch.delete(this.rows, deletes, session),
    ]);
  }
}
