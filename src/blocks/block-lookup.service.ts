import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Binary, ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { firstOf, pairId, secondOf } from '../common/pair-id.js';
import type { Viewer } from '../platform/access/viewer.js';
import { byIds } from '../platform/mongo/update-statements.js';
import { findMany } from '../platform/mongo/lean-reads.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { Block, Mute } from './block.schema.js';
import { blocked, BlockedPairs, NO_BLOCKED_PAIRS } from './blocked-pairs.js';
import { isInForce } from './until.js';

export type AccountPair = readonly [one: ObjectId, other: ObjectId];

/** Finds blocks and mutes between accounts, for the batches and lists of other modules. */
@Injectable()
export class BlockLookupService {
  constructor(
    @InjectModel(Block.name) private readonly blocks: Model<Block>,
    @InjectModel(Mute.name) private readonly mutes: Model<Mute>,
  ) {}

  /**
   * Returns the pairs in which one account blocks the other, in the snapshot of the transaction. One query by key; none if each account is
   * paired with itself.
   */
  async among(pairs: readonly AccountPair[], tx: Transaction): Promise<BlockedPairs> {
    const keys = bothKeysOf(pairs);
    if (keys.length === 0) return NO_BLOCKED_PAIRS;
    const rows = await this.rowsOf<Block>(this.blocks, keys, tx);
    return rows.length === 0
      ? NO_BLOCKED_PAIRS
      : new BlockedPairs(rows.map(({ _id }) => [firstOf(_id), secondOf(_id)] as const));
  }

  /** @throws CodedError `blocked` if the account and one of the others may not interact */
  async requireNone(id: ObjectId, others: readonly ObjectId[], tx: Transaction): Promise<void> {
    const found = await this.among(
      others.map((other) => [id, other] as const),
      tx,
    );
    if (others.some((other) => found.has(id, other))) throw blocked();
  }

  /**
   * Returns the entries that may notify: neither account blocks the other, and `userId` has not muted `actorId`. Two queries by key.
   */
  async withoutSilenced<Entry extends { userId: ObjectId; actorId: ObjectId }>(
    entries: Entry[],
    tx: Transaction,
  ): Promise<Entry[]> {
    const pairs = entries.map(({ userId, actorId }) => [userId, actorId] as const);
    const found = await this.among(pairs, tx);
    const keys = pairs.filter(isOfTwo).map(([userId, actorId]) => pairId(userId, actorId));
    const rows = keys.length === 0 ? [] : await this.rowsOf<Mute>(this.mutes, keys, tx);
    const muted = new Set(rows.filter(isInForce).map(({ _id }) => _id.toString('hex')));
    return entries.filter(
      ({ userId, actorId }) => !found.has(userId, actorId) && !muted.has(pairId(userId, actorId).toString('hex')),
    );
  }

  /** Whether the viewer blocks or has muted each account, in the order of `ids` (hex). Two reads by key. */
  async states(viewer: Viewer, ids: readonly string[]): Promise<{ isBlocked: boolean; isMuted: boolean }[]> {
    const viewerId = viewer._id;
    const keys = ids.map((id) => pairId(viewerId, ObjectId.createFromHexString(id)));
    const [blocks, mutes] = await Promise.all([
      findMany(this.blocks, { _id: { $in: keys } }, { _id: 1 }),
      findMany(this.mutes, { _id: { $in: keys } }, { until: 1 }),
    ]);
    const [blocked, muted] = [blocks, mutes.filter(isInForce)].map(
      (rows) => new Set(rows.map(({ _id }) => _id.toString('hex'))),
    );
    return keys.map((key) => {
      const hex = key.toString('hex');
      return { isBlocked: blocked!.has(hex), isMuted: muted!.has(hex) };
    });
  }

  private rowsOf<Row extends Block>(model: Model<Row>, keys: Binary[], tx: Transaction): Promise<Row[]> {
    return tx.find<Row>(model.collection, byIds(keys), { until: 1 }, keys.length);
  }
}

function isOfTwo([one, other]: AccountPair): boolean {
  return !one.equals(other);
}

/** Returns the keys of both orders of each pair of two accounts. */
function bothKeysOf(pairs: readonly AccountPair[]): Binary[] {
  const keys: Binary[] = [];
  for (const [one, other] of pairs) if (!one.equals(other)) keys.push(pairId(one, other), pairId(other, one));
  return keys;
}
