import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import type { Collection } from 'mongodb';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { type CardFragment, cardFragment } from './card-json.js';
import { FeedCard, feedProjection } from './feed-card.schema.js';
import type { FeedPlan } from './feed-plan.js';

/** Runs feed plans: one round trip, one index range, raw BSON straight to JSON text. */
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
  async read(plan: FeedPlan, rankPath: string | null, count: number): Promise<CardFragment[]> {
    this.queries++;
    const rows = await this.collection()
      .find(plan.filter, {
        projection: this.projection(rankPath),
        sort: plan.sort,
        hint: plan.hint,
        limit: count,
        batchSize: count + 1,
        singleBatch: true,
        raw: true,
      })
      .toArray();
    const rankField = rankPath?.slice('rank.'.length) ?? '';
    return rows.map((row) => cardFragment(row as unknown as Uint8Array, rankField));
  }

  collection(): Collection {
    return this.mongo.collection(this.cards.collection.collectionName);
  }

  private projection(rankPath: string | null): Record<string, 1> {
    let projection = this.projections.get(rankPath);
    if (projection === undefined) this.projections.set(rankPath, (projection = feedProjection(rankPath)));
    return projection;
  }
}
