import type { Db } from 'mongodb';
import { CursorCodec } from '../../src/common/cursor.js';
import { scopeOf } from '../../src/feed/feed-plan.js';
import { DEFAULT_LIMIT } from '../../src/platform/http/pagination/page.query.js';
import type { BenchmarkContext } from '../context.js';
import type { Dataset, Order } from '../data/dataset.js';
import type { SubjectSpec } from '../harness/subject.js';
import type { PreparedRequest } from '../harness/load-plan.js';
import type { MemoryGroup } from '../harness/memory-group.js';
import { encodePeerCursor, type PeerName } from '../peers/peer.js';

/** Names of subjects that read the database. node-http sends captured responses. */
export type ReadingSubject = 'product' | Exclude<PeerName, 'node-http'>;

/** Scope of the product's cursors for the unfiltered hot feed. */
const HOT_FEED_SCOPE = scopeOf({ sort: 'hot', window: 'all' });

export function specOf(
  subject: ReadingSubject,
  dataset: Dataset,
  extra: { workers?: number; env?: Record<string, string>; hasOpenSearch?: boolean; memory?: MemoryGroup } = {},
): SubjectSpec {
  if (subject === 'product') return { kind: 'product', database: dataset.product.databaseName, ...extra };
  return { kind: 'peer', name: subject, database: shapeOf(subject, dataset).databaseName };
}

/** Settings of the product without a response cache, so that every read is a query. */
export const UNCACHED = { CACHE_FEED_TTL_MS: '0', CACHE_TOP_WRITERS_TTL_MS: '0' };

/** Returns the database that this subject reads. */
export function shapeOf(subject: ReadingSubject, dataset: Dataset): Db {
  return subject === 'product' || subject === 'raw-driver' ? dataset.product : dataset.caseA;
}

/** Returns the order of the hot feed for this subject. */
export function orderOf(subject: ReadingSubject, dataset: Dataset): Promise<Order> {
  return subject === 'product' || subject === 'raw-driver' ? dataset.productOrder() : dataset.caseAOrder();
}

/** Creates requests for pages of the hot feed from any start, in the format of each subject. */
export class FeedPages {
  private readonly codec: CursorCodec;

  constructor(
    private readonly subject: ReadingSubject,
    private readonly order: Order,
    context: BenchmarkContext,
  ) {
    this.codec = new CursorCodec(`cursor:${context.tokenSecret}`);
  }

  get length(): number {
    return this.order.posts.length;
  }

  /** @param start number of posts before the page; 0 is the first page, which every client requests first */
  at(start: number, limit?: number): PreparedRequest {
    const size = limit ?? DEFAULT_LIMIT;
    const ids = this.order.posts.slice(start, start + size).map((post) => post.id);
    const query = new URLSearchParams();
    if (limit !== undefined) query.set('limit', String(limit));
    if (start > 0) this.seek(query, start);
    const search = query.size > 0 ? `?${query.toString()}` : '';
    return { method: 'GET', path: `/v1/feed${search}`, expect: { status: 200, ids } };
  }

  private seek(query: URLSearchParams, start: number): void {
    const before = this.order.posts[start - 1]!;
    if (this.subject === 'express-naive') query.set('skip', String(start));
    else if (this.subject === 'product') {
      query.set(
        'cursor',
        this.codec.encode(HOT_FEED_SCOPE, { epoch: this.order.epoch, value: before.score, id: before.id }),
      );
    } else query.set('cursor', encodePeerCursor(before.score, before.id));
  }
}

/** Splits requests over connections, so that every connection works through its own share. */
export function lanesOf(requests: PreparedRequest[], connections: number): PreparedRequest[][] {
  const count = Math.max(1, Math.min(connections, requests.length));
  const lanes: PreparedRequest[][] = Array.from({ length: count }, () => []);
  for (const [index, request] of requests.entries()) lanes[index % count]!.push(request);
  return lanes;
}
