import { Injectable } from '@nestjs/common';
import { type Fence, LeaseLostError } from '../platform/mongo/lease.service.js';
import { PostRanks } from '../posts/ranking/post-ranks.service.js';
import { rankDiff, rankDiffs } from '../posts/ranking/rank-diff.js';
import { RankIndexes } from '../posts/ranking/rank-indexes.service.js';
import type { RankIndex, RankSlot } from '../posts/ranking/score-epoch.js';
import { RankBatches } from './rank-batches.js';

/** What both ways of filling a slot are told. */
export type RunOptions = {
  slot: RankSlot;
  now: Date;
  signal: AbortSignal;
  fence: Fence;
  onProgress?: (written: number) => void;
};

export type RebuildOptions = RunOptions & {
  /** dropped by the run before this one, which did not come to the end; null when none was */
  droppedIndexes: RankIndex[] | null;
  /** called before indexes are dropped: the run after a crash must know them */
  beforeDrop: (indexes: RankIndex[]) => Promise<void>;
  /** for tests: what counts as a collection worth new indexes */
  reindexFrom?: number;
};

export type RebuildOutcome = { written: number; isReindexed: boolean };

const SAMPLE_SIZE = 200;
/**
 * When a field has moved in more than this share of the posts, the slot's indexes on it are dropped, the rows written and the indexes
 * built again. A row that enters seven indexes costs mongod 160 to 300 µs, one that enters none 35 µs, and a build 18 to 35 µs per
 * row of the collection.
 */
const REINDEX_SHARE = 0.3;
const REINDEX_FROM = 10_000;
/** how long a run that dropped too late tries to reach the server with what it must build */
const REPAIR_MS = 60_000;

/** Fills a slot by looking at every post that was published, whatever the slot held. */
@Injectable()
export class SlotRebuild {
  constructor(
    private readonly ranks: PostRanks,
    private readonly indexes: RankIndexes,
  ) {}

  /** Writes only rows that moved. Doing it again after a crash does what is left. Memory holds some batches, whatever the collection holds. */
  async rebuildSlot(options: RebuildOptions): Promise<RebuildOutcome> {
    const { slot, now, signal, fence, onProgress } = options;
    const dropped = options.droppedIndexes ?? (await this.dropMovedIndexes(options));
    const batches = new RankBatches(this.ranks, fence, signal, onProgress);
    await batches.store(rankDiffs(this.ranks.streamScored(), slot, now));
    await this.indexes.build(dropped ?? [], signal);
    return { written: batches.written, isReindexed: dropped !== null };
  }

  /**
   * No fence holds a drop, so the lease is looked at right before it, and after it: a run that stood still in between builds what the
   * next one may be showing. Null when no index is worth it.
   */
  private async dropMovedIndexes({ beforeDrop, ...options }: RebuildOptions): Promise<RankIndex[] | null> {
    const { slot, signal, fence } = options;
    const moved = await this.sampleMovedFields(options);
    if (moved.size === 0) return null;
    const all = await this.indexes.list(slot);
    const dropped = all.filter(({ key }) => Object.keys(key).some((field) => moved.has(field)));
    signal.throwIfAborted();
    await beforeDrop(dropped);
    await this.indexes.drop(dropped, fence, signal);
    try {
      await fence.confirm();
    } catch (error) {
      if (error instanceof LeaseLostError) await this.indexes.build(dropped, AbortSignal.timeout(REPAIR_MS));
      throw error;
    }
    return dropped;
  }

  /** Time alone moves `hot` and leaves `top` where it is: the indexes on what stays are kept. */
  private async sampleMovedFields(options: Omit<RebuildOptions, 'beforeDrop'>): Promise<Set<string>> {
    const { slot, now, reindexFrom = REINDEX_FROM } = options;
    const counts = new Map<string, number>();
    if ((await this.ranks.estimateCount()) < reindexFrom) return new Set();
    for (const post of await this.ranks.sampleScored(SAMPLE_SIZE)) {
      for (const field of Object.keys(rankDiff(post, slot, now)?.changes ?? {}))
        counts.set(field, (counts.get(field) ?? 0) + 1);
    }
    return new Set([...counts.keys()].filter((field) => counts.get(field)! > SAMPLE_SIZE * REINDEX_SHARE));
  }
}
