import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { findRaw } from '../platform/mongo/raw-read.js';
import { type CardRun, cardRun } from './card-json.js';
import { FeedCard, feedProjection } from './feed-card.schema.js';
import type { FeedPlan } from './feed-plan.js';

/** Runs feed plans: one round trip, one index range, raw BSON straight to JSON bytes. */
@Injectable()
export class FeedReader {
  private readonly projections = new Map<string | null, Record<string, 1>>();
  /** pages asked of the database, for the metrics and for tests of the caches above */
  queries = 0;

  constructor(
    @InjectModel(FeedCard.name) private readonly cards: Model<FeedCard>,
    private readonly mongo: MongoService,
  ) {}

  /** At most `count` cards in the plan's order. */
  async read(plan: FeedPlan, rankPath: string | null, count: number): Promise<CardRun> {
    this.queries++;
    const found = await findRaw(this.mongo.db, this.collection, {
      filter: plan.filter,
      projection: this.projection(rankPath),
      sort: plan.sort,
      hint: plan.hint,
      limit: count,
    });
    return cardRun(found, rankPath?.slice('rank.'.length) ?? '');
  }

  get collection(): string {
    return this.cards.collection.collectionName;
  }

  private projection(rankPath: string | null): Record<string, 1> {
    let projection = this.projections.get(rankPath);
    if (projection === undefined) this.projections.set(rankPath, (projection = feedProjection(rankPath)));
    return projection;
  }
}
