import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { MongoNetworkError } from 'mongodb';
import { BACKGROUND } from '../../platform/mongo/slow-query/command-monitor.js';
import { listMissingIndexes } from '../../platform/mongo/indexes/indexes.js';
import type { Fence } from '../../platform/mongo/lease.service.js';
import { MongoService } from '../../platform/mongo/mongo.service.js';
import { POSTS } from '../post-row.js';
import type { RankIndex, RankSlot } from './score-epoch.js';

const RETRY_AFTER_MS = 500;
const RANK = /^rank\.(hot|top|win)[AB]$/;

/** The index by which a run finds the posts that are due. */
export const DUE_INDEX = { isListed: 1, 'rank.due': 1 } as const;

/** The indexes of posts that only readers of one slot, or the score job, use: a run may drop them and build them again. */
@Injectable()
export class RankIndexes {
  constructor(private readonly mongo: MongoService) {}

  async list(slot: RankSlot): Promise<RankIndex[]> {
    return (await this.existing())
      .filter(isOfSlot(slot))
      .map(({ name, key, partialFilterExpression: partial }) =>
        partial === undefined ? { name, key } : { name, key, partialFilterExpression: partial },
      );
  }

  /** False in a database whose indexes are those of an older version, or while a build is under way. */
  async hasDueIndex(): Promise<boolean> {
    return (await this.existing()).some(({ key }) => Object.keys(key).join() === Object.keys(DUE_INDEX).join());
  }

  /** What the schema declares for readers of the slot, or for the job, and the collection lacks. */
  async listMissing(slot: RankSlot, isForJob: boolean): Promise<RankIndex[]> {
    const missing = (await listMissingIndexes(this.mongo.connection, POSTS)).filter(isOfSlot(slot));
    return missing
      .filter(({ key }) => isForJob || !('rank.due' in key))
      .map(({ key, ...options }) => {
        const name = Object.entries(key).flat().join('_');
        return { name, key: key as RankIndex['key'], ...options };
      });
  }

  /** Looks at the lease right before the drop, which the server does within the fence's time or not at all. */
  async drop(indexes: RankIndex[], fence: Fence, signal: AbortSignal): Promise<void> {
    const existing = new Set((await this.existing()).map(({ name }) => name));
    const names = indexes.map(({ name }) => name).filter((name) => existing.has(name));
    if (names.length === 0) return;
    const { maxTimeMS } = fence.fields();
    await fence.confirm();
    signal.throwIfAborted();
    await this.mongo.db.command({ dropIndexes: POSTS, index: names, maxTimeMS });
  }

  /**
   * Two commands side by side, each one scan for its half: a build uses one core. Indexes that exist are left alone, and readers and
   * writers continue. It returns or throws when both have ended.
   */
  async build(indexes: RankIndex[], signal: AbortSignal): Promise<void> {
    const builds = inHalves(indexes).map((half) => this.buildTogether(half, signal));
    await Promise.allSettled(builds);
    await Promise.all(builds);
  }

  /** A build that takes longer than the socket waits continues in the server: asking again waits for its end. */
  private async buildTogether(indexes: RankIndex[], signal: AbortSignal): Promise<void> {
    while (indexes.length > 0) {
      signal.throwIfAborted();
      try {
        await this.mongo.db.command({ createIndexes: POSTS, indexes, comment: BACKGROUND });
        return;
      } catch (error) {
        if (!(error instanceof MongoNetworkError)) throw error;
        await sleep(RETRY_AFTER_MS);
      }
    }
  }

  private async existing(): Promise<RankIndex[]> {
    return (await this.mongo.collection(POSTS).listIndexes().toArray()) as RankIndex[];
  }
}

function isOfSlot(slot: RankSlot): (index: { key: object }) => boolean {
  return ({ key }) =>
    Object.keys(key).some((field) => field === 'rank.due' || (RANK.test(field) && field.endsWith(slot)));
}

/** An index with a key per tag costs about twice another one: those are dealt out first. */
function inHalves(indexes: RankIndex[]): RankIndex[][] {
  const costliestFirst = [...indexes].sort((a, b) => Number('tags' in b.key) - Number('tags' in a.key));
  return [0, 1].map((half) => costliestFirst.filter((_, place) => place % 2 === half));
}
