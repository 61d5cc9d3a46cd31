import { Injectable } from '@nestjs/common';
import { type Binary, type Collection, ObjectId, type ClientSession } from 'mongodb';
import type { Fact } from '../activity/activity-facts.js';
import { Activity } from '../activity/activity.service.js';
import { BlockLookup } from '../blocks/block-lookup.service.js';
import { pairId } from '../common/pair-id.js';
import { HostWriter, type Submit } from '../platform/cluster/writer/host-writer.js';
import { byIds } from '../platform/mongo/batch-commands.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { UsersService } from '../users/users.service.js';
import { type Follow, FollowSchema } from './follow.schema.js';
import {
  type CurrentState,
  type FollowChange,
  type FollowItem,
  type FollowPlan,
  type FollowResult,
  planFollows,
} from './follow-plan.js';

/** An item in the message to the writer process. */
export type SubmittedFollow = Omit<FollowItem, 'followerId' | 'followingId'> & {
  followerId: string;
  followingId: string;
};

/** Writes in the transaction of a change. */
export type FollowListener = (changes: FollowChange[], session: ClientSession) => Promise<void>;

/** Commits the follows of this host in groups: rows and both sides' counters in one transaction. */
@Injectable()
export class FollowWriter {
  readonly submit: Submit<SubmittedFollow, FollowResult>;
  private readonly rows: Collection<Follow>;
  private readonly listeners: FollowListener[] = [];

  constructor(
    private readonly mongo: MongoService,
    private readonly users: UsersService,
    private readonly activity: Activity,
    private readonly blocks: BlockLookup,
    writer: HostWriter,
  ) {
    this.rows = mongo.collection(FollowSchema);
    this.submit = writer.group({
      name: 'follows',
      commit: (items) => this.commit(items.map(decodeItem)),
    });
  }

  onChange(listener: FollowListener): void {
    this.listeners.push(listener);
  }

  /** Ends these follows (follower, followed) in the transaction of another write. */
  async end(pairs: readonly (readonly [ObjectId, ObjectId])[], session: ClientSession): Promise<void> {
    const items = pairs.map(([followerId, followingId]) => ({ followerId, followingId, isFollowing: false }));
    await this.write(planFollows(items, await this.read(items, session), new Date()), session);
  }

  private commit(items: FollowItem[]): Promise<(FollowResult | Error)[]> {
    return this.mongo.transaction(async (session) => {
      const state = await this.read(items, session);
      const plan = planFollows(items, state, new Date());
      await this.write(plan, session);
      return plan.results;
    });
  }

  private async read(items: FollowItem[], session: ClientSession): Promise<CurrentState> {
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
      this.users.findParts([...userIds.values()], ['username', 'stats', 'lastBlockId'], session),
      this.mongo.batch.find<Pick<Follow, '_id'>>(this.rows, filter, { _id: 1 }, rowIds.size, session),
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
      blocked: await this.blocks.among(pairs, session),
    };
  }

  private async write({ inserts, deletes, userStats, changes }: FollowPlan, session: ClientSession): Promise<void> {
    // Writes counters first: hosts that conflict on a popular account fail before they have written the rows.
    await Promise.all([
      this.users.applyStats(userStats, session),
      this.mongo.batch.insert(this.rows, inserts, session),
      this.mongo.batch.delete(this.rows, deletes, session),
      this.activity.add(session, inserts.map(factOf)),
      ...(changes.length > 0 ? this.listeners.map((listener) => listener(changes, session)) : []),
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
