import { Injectable } from '@nestjs/common';
import { BatchLoader } from '../common/batch-loader.js';
import { BsonFields } from '../common/bson-fields.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { aggregateRaw, findRaw, type RawDocuments } from '../platform/mongo/raw-read.js';
import { SecondaryReads } from '../platform/mongo/secondary-reads.js';
import { type CardEntry, type CardSerializer, SerializedCards, serializeCards } from '../posts/card/card-json.js';
import { CARDS } from '../posts/card/post-card.js';
import { type FeedPlan, feedProjection, type FeedSelection, listPlanOf } from './feed-plan.js';
import { FeedPageLoader, type PageRequest, rankFieldOf } from './feed-page-loader.js';

/** Runs feed plans: one round trip and one index range per page, with raw BSON converted directly to JSON bytes. */
@Injectable()
export class FeedReader {
  /** the number of pages read from the database, for metrics and tests */
  queries = 0;
  private readonly pages: FeedPageLoader;
  private readonly listed = new BatchLoader<CardEntry>({ read: (ids) => this.readListed(ids) });

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
    return serialize(await this.find(plan, rankPath, count), rankFieldOf(rankPath));
  }

  /**
   * Returns the first `count` cards of a list that the selection has, in the order of the list. Reads on while posts were hidden since
   * the list was written, or are not of the selection.
   */
  async readList(
    ids: readonly string[],
    selection: FeedSelection,
    count: number,
    serialize: CardSerializer,
  ): Promise<SerializedCards> {
    const runs: SerializedCards[] = [];
    let left = count;
    for (let at = 0, size = count; left > 0 && at < ids.length; at += size, size *= 2) {
      const some = ids.slice(at, at + size);
      const found = await this.find(listPlanOf(selection, some), null, some.length);
      const run = serialize(firstOf(found, some, left), '');
      runs.push(run);
      left -= run.length;
    }
    return SerializedCards.concat(runs);
  }

  /**
   * As `read`, batched with concurrent requests, for a page far from the end of a feed.
   * @param key identifies the page
   */
  readBatched(key: string, page: PageRequest): Promise<SerializedCards> {
    return this.pages.read(key, page);
  }

  /** Returns the cards of the listed posts among `ids`, in their order. Concurrent calls share a round trip. */
  async listedAmong(ids: readonly string[]): Promise<CardEntry[]> {
    const found = await Promise.all(ids.map((id) => this.listed.get(id)));
    return found.filter((card) => card !== undefined);
  }

  private async readListed(ids: string[]): Promise<Map<string, CardEntry>> {
    const found = await this.find(listPlanOf({ sort: 'hot', window: 'all' }, ids), null, ids.length);
    return new Map(
      serializeCards(found, '')
        .entries()
        .map((card) => [card.id, card]),
    );
  }

  private find({ filter, sort, hint }: FeedPlan, rankPath: string | null, limit: number): Promise<RawDocuments> {
    this.queries++;
    const find = { filter, projection: feedProjection(rankPath), sort, hint, limit };
    return this.reads.run('feed', (target) => findRaw(this.mongo.db, CARDS, find, target));
  }
}

const idField = new BsonFields(['_id']);

/** Returns the first `count` documents in the order of `ids` (hex). */
function firstOf({ buffer, offsets }: RawDocuments, ids: readonly string[], count: number): RawDocuments {
  const byId = new Map(
    offsets.map((offset) => {
      idField.read(buffer, offset);
      const at = idField.offsets[0]!;
      return [buffer.toString('hex', at, at + 12), offset] as const;
    }),
  );
  return { buffer, offsets: ids.flatMap((id) => byId.get(id) ?? []).slice(0, count) };
}
