import { BatchLoader } from '../common/batch-loader.js';
import type { RawDocuments } from '../platform/mongo/raw-read.js';
import type { CardSerializer, SerializedCards } from '../posts/card/card-json.js';
import { type FeedPlan, feedProjection } from './feed-plan.js';

/** One page: at most `count` cards in the plan's order. */
export type PageRequest = { plan: FeedPlan; rankPath: string | null; count: number; serialize: CardSerializer };

export type FeedPageLoaderOptions = {
  collection: string;
  /** reads a single page, or one whose end a batch would not show */
  readAlone: (request: PageRequest) => Promise<SerializedCards>;
  aggregate: (aggregation: {
    pipeline: Record<string, unknown>[];
    hint: FeedPlan['hint'];
    limit: number;
  }) => Promise<RawDocuments>;
};

/** Sixteen pages of 20 cards are one reply of 400 kB and take some 4 ms of one thread of the server. */
const MAX_PAGES = 16;

/**
 * Requests for pages that arrive during a round trip share the next one: one index range each, as the branches of one command. The
 * driver's work for a command costs as much as a page itself (docs/experiments.md). A single page is one find. Only for pages far from
 * the end of a feed: the result does not show where a page ends, so when one of them is short, each is read alone.
 */
export class FeedPageLoader {
  private readonly requests = new Map<string, PageRequest>();
  private readonly loader = new BatchLoader<SerializedCards>({
    read: (keys) => this.readAll(keys),
    maxBatch: MAX_PAGES,
  });

  constructor(private readonly options: FeedPageLoaderOptions) {}

  /** @param key identifies this page */
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

  /** Null when a page was short. */
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

/** The name within `rank`; '' for a feed by time. */
export function rankFieldOf(rankPath: string | null): string {
  return rankPath?.slice('rank.'.length) ?? '';
}
