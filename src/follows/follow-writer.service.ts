import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { type Binary, type Collection, ObjectId, type ClientSession } from 'mongodb';
import { pairId } from '../common/pair-id.js';
import type { GroupCommit } from '../common/group-commit.js';
import { HostBatches, type Packing } from '../platform/cluster/host-batches.js';
import { byIds } from '../platform/mongo/batch-commands.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { UsersService } from '../users/users.service.js';
import { type FollowItem, type FollowPlan, type FollowResult, type FollowWorld, planFollows } from './follow-plan.js';
import { type FollowRow, FOLLOWS } from './follow.schema.js';

type PackedFollow = { followerId: string; followingId: string; isFollowing: boolean };

/** On their way between processes. What holds a state can be committed twice. */
const FOLLOW_PACKING: Packing<FollowItem, FollowResult> = {
  item: ({ followerId, followingId, isFollowing }): PackedFollow => ({
    followerId: followerId.toHexString(),
    followingId: followingId.toHexString(),
    isFollowing,
  }),
  unpackItem: ({ followerId, followingId, isFollowing }: PackedFollow): FollowItem => ({
    followerId: ObjectId.createFromHexString(followerId),
    followingId: ObjectId.createFromHexString(followingId),
    isFollowing,
  }),
  result: (result) => result,
  unpackResult: (result: FollowResult) => result,
};

/** Follows of this host, committed in groups: rows and both sides' counters in one transaction. */
@Injectable()
export class FollowWriter implements BeforeApplicationShutdown {
  readonly group: GroupCommit<FollowItem, FollowResult>;
  private readonly rows: Collection<FollowRow>;

  constructor(
    private readonly mongo: MongoService,
    private readonly users: UsersService,
    batches: HostBatches,
  ) {
    this.rows = mongo.collection<FollowRow>(FOLLOWS);
    this.group = batches.group({
      name: 'follows',
      packing: FOLLOW_PACKING,
      commit: (items, stillWanted) => this.commit(items, stillWanted),
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.group.close();
  }

  private commit(items: FollowItem[], stillWanted: () => Promise<void>): Promise<(FollowResult | Error)[]> {
    return this.mongo.transaction(async (session) => {
      const world = await this.read(items, session);
      await stillWanted();
      const plan = planFollows(items, world, new Date());
      await this.write(plan, session);
      return plan.results;
    });
  }

  private async read(items: FollowItem[], session: ClientSession): Promise<FollowWorld> {
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

  private async write({ inserts, deletes, userStats }: FollowPlan, session: ClientSession): Promise<void> {
    // counters first: workers that collide on a well-known account find out before they have written the rows
    await Promise.all([
      this.users.applyStats(userStats, session),
      this.mongo.batch.insert(this.rows, inserts, session),
      this.mongo.batch.delete(this.rows, deletes, session),
    ]);
  }
}
