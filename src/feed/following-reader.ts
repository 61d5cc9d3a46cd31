import { Injectable } from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import type { CursorPosition } from '../common/cursor.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { aggregateRaw } from '../platform/mongo/raw-read.js';
import { CARDS } from '../posts/card/card-fields.js';
import { READABLE_BY_ALL } from '../posts/visibility.js';
import { afterInLatest, LATEST } from '../posts/latest.js';
import { SerializedCards, serializeCards } from '../posts/card/card-json.js';
import { feedProjection } from './feed-plan.js';
import { FeedReader } from './feed-reader.js';

/** The server merges at most this many index ranges into one ordered stream (internalQueryMaxScansToExplode). */
export const MAX_MERGED_AUTHORS = 200;
const HINT = { authorId: 1, ...LATEST } as const;

/**
 * The newest posts of many authors in one round trip: up to 200 authors are one merge of their index ranges; more are such merges
 * side by side, each cut to a page, and a sort of the cuts.
 */
@Injectable()
export class FollowingReader {
  constructor(
    private readonly reader: FeedReader,
    private readonly mongo: MongoService,
  ) {}

  async read(authors: ObjectId[], after: CursorPosition | null, count: number): Promise<SerializedCards> {
    if (authors.length === 0) return SerializedCards.concat([]);
    const chunks: ObjectId[][] = [];
    for (let at = 0; at < authors.length; at += MAX_MERGED_AUTHORS)
      chunks.push(authors.slice(at, at + MAX_MERGED_AUTHORS));
    const filterOf = (chunk: ObjectId[]): Record<string, unknown> => ({
      authorId: { $in: chunk },
      ...READABLE_BY_ALL,
      ...(after === null ? {} : afterInLatest(after)),
    });
    if (chunks.length === 1) {
      return this.reader.read({ filter: filterOf(chunks[0]!), sort: LATEST, hint: HINT }, null, count);
    }
    this.reader.queries++;
    const merge = (chunk: ObjectId[]): Record<string, unknown>[] => [
      { $match: filterOf(chunk) },
      { $sort: LATEST },
      { $limit: count },
      { $project: feedProjection(null) },
    ];
    const [first, ...others] = chunks.map(merge);
    const pipeline = [
      ...first!,
      ...others.map((branch) => ({ $unionWith: { coll: CARDS, pipeline: branch } })),
      { $sort: LATEST },
      { $limit: count },
    ];
    return serializeCards(await aggregateRaw(this.mongo.db, CARDS, { pipeline, hint: HINT, limit: count }), '');
  }
}
