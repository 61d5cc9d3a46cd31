import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { aggregateRaw, findRaw } from '../platform/mongo/raw-read.js';
import { type CardRun, cardRun } from './card-json.js';
import { FeedCard, feedProjection } from './feed-card.schema.js';
import type { FeedPlan } from './feed-plan.js';
import { PageGroup, rankFieldOf } from './page-group.js';

/** Runs feed plans: one round trip, one index range, raw BSON straight to JSON bytes. */
@Injectable()
export class FeedReader {
  /** pages asked of the database, for the metrics and for tests of the caches above */
  queries = 0;
  private readonly group: PageGroup;

  constructor(
    @InjectModel(FeedCard.name) private readonly cards: Model<FeedCard>,
    private readonly mongo: MongoService,
  ) {
    const { collection } = this;
    this.group = new PageGroup({
      collection,
      readAlone: ({ plan, rankPath, count }) => this.read(plan, rankPath, count),
      aggregate: (aggregation) => {
        this.queries++;
        return aggregateRaw(this.mongo.db, collection, aggregation);
      },
    });
  }

  /** At most `count` cards in the plan's order. */
  async read(plan: FeedPlan, rankPath: string | null, count: number): Promise<CardRun> {
    this.queries++;
    const found = await findRaw(this.mongo.db, this.collection, {
      filter: plan.filter,
      projection: feedProjection(rankPath),
      sort: plan.sort,
      hint: plan.hint,
      limit: count,
    });
    return cardRun(found, rankFieldOf(rankPath));
  }

  /**
   * The same for a page far from the end of a list that many read, together with others that are asked for at the same time.
   * @param key tells this page from every other
   */
  readInCompany(key: string, plan: FeedPlan, rankPath: string | null, count: number): Promise<CardRun> {
    return this.group.read(key, { plan, rankPath, count });
  }

  get collection(): string {
    return this.cards.collection.collectionName;
  }
}
