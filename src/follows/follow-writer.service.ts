import { Injectable } from '@nestjs/common';
import { type Binary, type Collection, ObjectId } from 'mongodb';
import type { Fact } from '../activity/activity-facts.js';
import { ActivityService } from '../activity/activity.service.js';
import { BlockLookupService } from '../blocks/block-lookup.service.js';
import { pairId } from '../common/pair-id.js';
import { HostWriter, type Submit } from '../platform/cluster/writer/host-writer.js';
import { byIds } from '../platform/mongo/update-statements.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { UsersService } from '../users/users.service.js';
import { type Follow, FollowSchema } from './follow.schema.js';
import { type CurrentState, type FollowItem, type FollowPlan, type FollowResult, planFollows } from './follow-plan.js';
import { FOLLOWS_CHANGED } from './follows.events.js';

/** An item in the message to the writer process. */
export type SubmittedFollow = Omit<FollowItem, 'followerId' | 'followingId'> & {
  followerId: string;
  followingId: string;
};

/** Commits the follows of this host in groups: rows and both sides' counters in one transaction. */
@Injectable()
export class FollowWriterService {
  readonly submit: Submit<SubmittedFollow, FollowResult>;
  private readonly rows: Collection<Follow>;

  constructor(
    private readonly mongo: MongoService,
    private readonly users: UsersService,
    private readonly activity: ActivityService,
    private readonly blocks: BlockLookupService,
    writer: HostWriter,
  ) {
    this.rows = mongo.collection(FollowSchema);
    this.submit = writer.group({
      name: 'follows',
      commit: (items) => this.commit(items.map(decodeItem)),
    });
  }

  /** Ends these follows (follower, followed) in the transaction of another write. */
  async end(pairs: readonly (readonly [ObjectId, ObjectId])[], tx: Transaction): Promise<void> {
    const items = pairs.map(([followerId, followingId]) => ({ followerId, followingId, isFollowing: false }));
    await this.write(planFollows(items, await this.read(items, tx), new Date()), tx);
  }

  private commit(items: FollowItem[]): Promise<(FollowResult | Error)[]> {
    return this.mongo.transaction(async (tx) => {
      const state = await this.read(items, tx);
      const plan = planFollows(items, state, new Date());
      await this.write(plan, tx);
      return plan.results;
    });
  }

  private async read(items: FollowItem[], tx: Transaction): Promise<CurrentState> {
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
      this.users.findParts([...userIds.values()], ['username', 'stats', 'lastBlockId'], tx),
      tx.find<Pick<Follow, '_id'>>(this.rows, filter, { _id: 1 }, rowIds.size),
    ]);
    const marked = new Set(users.flatMap((user) => (user.lastBlockId === undefined ? [] : [user._id.toHexString()])));
    const isMarked = (id: ObjectId): boolean => marked.has(id.toHexString());
    const pairs = items
      .filter(({ isFollowing, isToggle }) => isFollowing || isToggle)
      .filter(({ followerId, followingId }) => isMarked(followerId) && isMarked(followingId))
      .map(({ followerId, followingId }) => [followerId, followingId] as const);
    return {
      users: new Map(users.map((user) => [user._id.toHexString(), user])),
      rows: new Set(rows.map(({ _id }) => _id.toString('hex'))),
      blocked: await this.blocks.among(pairs, tx),
    };
  }

  private async write({ inserts, deletes, userStats, changes }: FollowPlan, tx: Transaction): Promise<void> {
    // Writes counters first: hosts that conflict on a popular account fail before they have written the rows.
    await Promise.all([
      this.users.applyStats(userStats, tx),
      tx.insert(this.rows, inserts),
      tx.delete(this.rows, deletes),
      this.activity.add(tx, inserts.map(factOf)),
      changes.length > 0 && tx.runHooks(FOLLOWS_CHANGED, changes),
    ]);
  }
}

function factOf({ followerId, followingId }: Follow): Fact {
  return { kind: 'follow', actor: followerId, target: followingId };
}

function decodeItem(item: SubmittedFollow): FollowItem {
  return {
    ...item,
    followerId: ObjectId.createFromHexString(item.followerId),
    followingId: ObjectId.createFromHexString(item.followingId),
  };
}
