import { setTimeout as sleep } from 'node:timers/promises';
import type { Fence } from '../platform/mongo/lease.service.js';
import type { PostRanks } from '../posts/ranking/post-ranks.service.js';
import type { RankDiff } from '../posts/ranking/rank-diff.js';

const BATCH_SIZE = 1_000;
const BATCHES_IN_FLIGHT = 2;
const ATTEMPTS = 6;

/** Stores ranks that moved, in batches of 1,000 with two in flight; after a failure it takes no more. */
export class RankBatches {
  written = 0;
  private readonly inFlight = new Set<Promise<void>>();
  private readonly failed = new AbortController();
  private readonly stop: AbortSignal;
  private batch: RankDiff[] = [];

  constructor(
    private readonly ranks: PostRanks,
    private readonly fence: Fence,
    signal: AbortSignal,
    private readonly onProgress?: (written: number) => void,
  ) {
    this.stop = AbortSignal.any([signal, this.failed.signal]);
  }

  /** Returns or throws when nothing is in flight any more. */
  async store(diffs: AsyncIterable<RankDiff>): Promise<void> {
    try {
      for await (const diff of diffs) {
        if (this.batch.push(diff) >= BATCH_SIZE) await this.send();
      }
      if (this.batch.length > 0) await this.send();
    } finally {
      await Promise.all(this.inFlight);
    }
    this.stop.throwIfAborted();
  }

  private async send(): Promise<void> {
    while (this.inFlight.size >= BATCHES_IN_FLIGHT) await Promise.race(this.inFlight);
    this.stop.throwIfAborted();
    const { batch } = this;
    this.batch = [];
    const write = this.write(batch)
      .then(() => {
        this.written += batch.length;
        this.onProgress?.(this.written);
      })
      .catch((error: unknown) => this.failed.abort(error))
      .finally(() => this.inFlight.delete(write));
    this.inFlight.add(write);
  }

  private async write(batch: RankDiff[]): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.ranks.applyRanks(batch, this.fence.fields());
      } catch (error) {
        // a row that a vote holds in its transaction, an election
        if (attempt === ATTEMPTS || this.stop.aborted) throw error;
        await sleep(25 * 2 ** attempt);
      }
    }
  }
}
