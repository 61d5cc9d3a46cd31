import { BatchLoader } from '../common/batch-loader.js';
import type { RawDocuments } from '../platform/mongo/raw-read.js';
import type { CardSerializer, SerializedCards } from '../posts/card/card-json.js';
import { type FeedPlan, feedProjection } from './feed-plan.js';

/** A page: at most `count` cards in the order of the plan. */
export type PageRequest = { plan: FeedPlan; rankPath: string | null; count: number; serialize: CardSerializer };

export type FeedPageLoaderOptions = {
  collection: string;
  /** Reads a single page, or each page of a short batch. */
  readAlone: (request: PageRequest) => Promise<SerializedCards>;
  aggregate: (aggregation: {
    pipeline: Record<string, unknown>[];
    hint: FeedPlan['hint'];
    limit: number;
  }) => Promise<RawDocuments>;
};

/** 16 pages of 20 cards are a reply of 400 kB and take about 4 ms of one server thread. */
const MAX_PAGES = 16;

/**
 * Batches pages that are requested during a round trip into one aggregation with a branch per page, because the driver's work per
 * command costs as much as a page (docs/experiments.md). Use the loader only far from the end of a feed: a short batch does not show
 * where each page ends, so the loader reads all pages again individually.
 */
export class FeedPageLoader {
  private readonly requests = new Map<string, PageRequest>();
  private readonly loader = new BatchLoader<SerializedCards>({
    read: (keys) => this.readAll(keys),
    maxBatch: MAX_PAGES,
  });

  constructor(private readonly options: FeedPageLoaderOptions) {}

  /** @param key identifies the page; concurrent calls with the same key share a read */
  async read(key: string, request: PageRequest): Promise<SerializedCards> {
    this.requests.set(key, request);
    return (await this.loader.get(key))!;
  }

  private async readAll(keys: string[]): Promise<Map<string, SerializedCards>> {
    const pages = keys.map((key) => this.requests.get(key)!);
    for (const key of keys) this.requests.delete(key);
    const runs = pages.length === 1 ? null : await this.readTogether(pages);
    const found = runs ?? (await Promise.all(pages.map((page) => this.options.readAlone(page))));
    return new Map(keys.map((key, at) => [key, found[at]!]));
  }

  /** Returns null if any page was short. */
  private async readTogether(pages: PageRequest[]): Promise<SerializedCards[] | null> {
    const [first, ...others] = pages.map(({ plan, rankPath, count }) => [
      { $match: plan.filter },
      { $sort: plan.sort },
      { $limit: count },
      { $project: feedProjection(rankPath) },
    ]);
    const coll = this.options.collection;
    const pipeline = [...first!, ...others.map((branch) => ({ $unionWith: { coll, pipeline: branch } }))];
    const limit = pages.reduce((sum, { count }) => sum + count, 0);
    const { buffer, offsets } = await this.options.aggregate({ pipeline, hint: pages[0]!.plan.hint, limit });
    if (offsets.length < limit) return null;
    let start = 0;
    return pages.map(({ rankPath, count, serialize }) =>
      serialize({ buffer, offsets: offsets.slice(start, (start += count)) }, rankFieldOf(rankPath)),
    );
  }
}

/** Returns the field name within `rank`, or '' for a feed by time. */
export function rankFieldOf(rankPath: string | null): string {
  return rankPath?.slice('rank.'.length) ?? '';
}
