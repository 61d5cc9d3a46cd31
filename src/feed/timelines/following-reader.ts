import { Injectable } from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import { BSON_TYPE, BsonFields, numberAt } from '../../common/bson-fields.js';
import { MongoService } from '../../platform/mongo/mongo.service.js';
import { aggregateRaw } from '../../platform/mongo/raw-read.js';
import { CARDS } from '../../posts/card/post-card.js';
import { LISTED } from '../../posts/visibility.js';
import { betweenPositions, LATEST, type Position } from '../../posts/publication-order.js';
import { SerializedCards, serializeCards } from '../../posts/card/card-json.js';
import { type FeedPlan, feedProjection } from '../feed-plan.js';
import { FeedReader } from '../feed-reader.js';
import type { TimelineEntry } from './timeline-entry-id.js';

/** The server merges at most this many index ranges into a sorted stream (internalQueryMaxScansToExplode). */
export const MAX_MERGED_AUTHORS = 200;
const HINT = { authorId: 1, ...LATEST } as const;
const POSITION_FIELDS = { createdAt: 1, authorId: 1 } as const;

/** A sorted range of posts. */
export type Branch = Pick<FeedPlan, 'filter' | 'hint'>;

const post = new BsonFields(['_id', 'createdAt', 'authorId']);

/**
 * Reads the newest posts of many authors in one round trip. Up to 200 authors need one merge of index ranges. More authors need several
 * merges, each limited to a page, and a sort of the results.
 */
@Injectable()
export class FollowingReader {
  constructor(
    private readonly reader: FeedReader,
    private readonly mongo: MongoService,
  ) {}

  read(authors: ObjectId[], after: Position | null, count: number): Promise<SerializedCards> {
    return this.readBranches(authorBranches(authors, after, null), count);
  }

  /** Returns the first `count` cards of the merged ranges. */
  async readBranches(branches: Branch[], count: number): Promise<SerializedCards> {
    const [first] = branches;
    if (first === undefined) return SerializedCards.concat([]);
    if (branches.length === 1) return this.reader.read({ ...first, sort: LATEST }, null, count);
    this.reader.queries++;
    const pipeline = union(branches, feedProjection(null), count);
    return serializeCards(await aggregateRaw(this.mongo.db, CARDS, { pipeline, hint: first.hint, limit: count }), '');
  }

  /** Returns the positions of the newest posts of these authors, down to `from`. */
  async positions(authors: ObjectId[], from: Position | null, count: number): Promise<TimelineEntry[]> {
    const branches = authorBranches(authors, null, from);
    if (branches.length === 0) return [];
    const pipeline = union(branches, POSITION_FIELDS, count);
    const { buffer, offsets } = await aggregateRaw(this.mongo.db, CARDS, { pipeline, hint: HINT, limit: count });
    const hexAt = (at: number): string => buffer.toString('hex', at, at + 12);
    return offsets.map((offset) => {
      post.read(buffer, offset);
      const [id, createdAt, authorId] = [...post.offsets] as [number, number, number];
      return { value: numberAt(buffer, BSON_TYPE.date, createdAt), id: hexAt(id), authorId: hexAt(authorId) };
    });
  }
}

/** Returns the ranges of these authors, from `after` (exclusive) down to `from` (inclusive). */
export function authorBranches(authors: ObjectId[], after: Position | null, from: Position | null): Branch[] {
  const branches: Branch[] = [];
  for (let at = 0; at < authors.length; at += MAX_MERGED_AUTHORS) {
    const authorId = { $in: authors.slice(at, at + MAX_MERGED_AUTHORS) };
    branches.push({ filter: { authorId, ...LISTED, ...betweenPositions(after, from) }, hint: HINT });
  }
  return branches;
}

function union(branches: Branch[], projection: Record<string, 1>, count: number): Record<string, unknown>[] {
  const order = [{ $sort: LATEST }, { $limit: count }];
  const [first, ...others] = branches.map(({ filter }) => [{ $match: filter }, ...order, { $project: projection }]);
  if (others.length === 0) return first!;
  return [...first!, ...others.map((pipeline) => ({ $unionWith: { coll: CARDS, pipeline } })), ...order];
}
