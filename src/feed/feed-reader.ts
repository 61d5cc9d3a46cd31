import { Injectable } from '@nestjs/common';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { aggregateRaw, findRaw } from '../platform/mongo/raw-read.js';
import { SecondaryReads } from '../platform/mongo/secondary-reads.js';
import { type CardSerializer, type SerializedCards, serializeCards } from '../posts/card/card-json.js';
import { CARDS } from '../posts/card/post-card.js';
import { type FeedPlan, feedProjection } from './feed-plan.js';
import { FeedPageLoader, type PageRequest, rankFieldOf } from './feed-page-loader.js';

/** Runs feed plans: one round trip and one index range per page, with raw BSON converted directly to JSON bytes. */
@Injectable()
export class FeedReader {
  /** the number of pages read from the database, for metrics and tests */
  queries = 0;
  private readonly pages: FeedPageLoader;

  constructor(
    private readonly mongo: MongoService,
    private readonly reads: SecondaryReads,
  ) {
    this.pages = new FeedPageLoader({
      collection: CARDS,
      readAlone: ({ plan, rankPath, count, serialize }) => this.read(plan, rankPath, count, serialize),
      aggregate: (aggregation) => {
        this.queries++;
        return this.reads.run('feed', (target) => aggregateRaw(this.mongo.db, CARDS, aggregation, target));
      },
    });
  }

  /** Returns at most `count` cards in the order of the plan. */
  async read(
    plan: FeedPlan,
    rankPath: string | null,
    count: number,
    serialize: CardSerializer = serializeCards,
  ): Promise<SerializedCards> {
    this.queries++;
    const { filter, sort, hint } = plan;
    const find = { filter, projection: feedProjection(rankPath), sort, hint, limit: count };
    const found = await this.reads.run('feed', (target) => findRaw(this.mongo.db, CARDS, find, target));
    return serialize(found, rankFieldOf(rankPath));
  }

  /**
   * As `read`, batched with concurrent requests, for a page far from the end of a feed.
   * @param key identifies the page
   */
  readBatched(key: string, page: PageRequest): Promise<SerializedCards> {
    return this.pages.read(key, page);
  }
}
