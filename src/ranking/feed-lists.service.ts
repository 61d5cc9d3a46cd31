import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { BoundedMap } from '../common/bounded.js';
import { findOne } from '../platform/mongo/lean-reads.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { LIST_SORTS, listIdOf, type ListSort } from './feed-list.js';
import { StoredFeedList } from './feed-list.schema.js';
import type { RankSlot, ScoreEpoch } from './score-epoch.js';

/** Lists of the current and the previous epoch. */
const CACHED_LISTS = 2 * LIST_SORTS.length;

/** Reads and writes the lists of posts in the orders that have no index. */
@Injectable()
export class FeedListsService {
  private readonly cached = new BoundedMap<string, string[]>(CACHED_LISTS);

  constructor(@InjectModel(StoredFeedList.name) private readonly lists: Model<StoredFeedList>) {}

  /** Returns the ids (hex) of a list, first to last. Empty before the first run of the score job. */
  async ids(sort: ListSort, { epoch, slot }: Pick<ScoreEpoch, 'epoch' | 'slot'>): Promise<string[]> {
    const key = `${sort}|${epoch}`;
    const cached = this.cached.get(key);
    if (cached !== undefined) return cached;
    const row = await findOne(this.lists, { _id: listIdOf(sort, slot) }, { ids: 1 });
    const ids = (row?.ids ?? []).map((id) => id.toHexString());
    this.cached.set(key, ids);
    return ids;
  }

  /** Whether the slot has all lists. A database of an earlier version has none. */
  async areWritten(slot: RankSlot): Promise<boolean> {
    const _id = { $in: LIST_SORTS.map((sort) => listIdOf(sort, slot)) };
    return (await this.lists.countDocuments({ _id })) === LIST_SORTS.length;
  }

  async write(lists: [ListSort, ObjectId[]][], slot: RankSlot, tx: Transaction): Promise<void> {
    for (const [sort, ids] of lists)
      await this.lists.updateOne(
        { _id: listIdOf(sort, slot) },
        { $set: { ids } },
        { session: tx.session, upsert: true },
      );
  }
}
