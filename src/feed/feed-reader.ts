import { Injectable } from '@nestjs/common';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { aggregateRaw, findRaw } from '../platform/mongo/raw-read.js';
import { type SerializedCards, serializeCards } from '../posts/card/card-json.js';
import { CARDS } from '../posts/card/card-fields.js';
import { type FeedPlan, feedProjection } from './feed-plan.js';
import { FeedPageLoader, rankFieldOf } from './feed-page-loader.js';

/** Runs feed plans: one round trip, one index range, raw BSON straight to JSON bytes. */
@Injectable()
export class FeedReader {
  /** pages asked of the database, for the metrics and for tests of the caches above */
  queries = 0;
  private readonly pages: FeedPageLoader;

  constructor(private readonly mongo: MongoService) {
    this.pages = new FeedPageLoader({
      collection: CARDS,
      readAlone: ({ plan, rankPath, count }) => this.read(plan, rankPath, count),
      aggregate: (aggregation) => {
        this.queries++;
        return aggregateRaw(this.mongo.db, CARDS, aggregation);
      },
    });
  }

  /** At most `count` cards in the plan's order. */
  async read(plan: FeedPlan, rankPath: string | null, count: number): Promise<SerializedCards> {
    this.queries++;
    const found = await findRaw(this.mongo.db, CARDS, {
      filter: plan.filter,
      projection: feedProjection(rankPath),
      sort: plan.sort,
      hint: plan.hint,
      limit: count,
    });
    return serializeCards(found, rankFieldOf(rankPath));
  }

  /**
   * The same for a page far from the end of a list that many read, together with others that are asked for at the same time.
   * @param key tells this page from every other
   */
  readBatched(key: string, plan: FeedPlan, rankPath: string | null, count: number): Promise<SerializedCards> {
    return this.pages.read(key, { plan, rankPath, count });
  }
}
