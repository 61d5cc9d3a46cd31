import { Injectable, Logger } from '@nestjs/common';
import type { CursorPosition } from '../common/cursor.js';
import { AppConfig } from '../config/app-config.js';
import type { RankSlot } from '../posts/ranking/score-epoch.js';
import { ResponseCache } from '../platform/cache/response-cache.js';
import { SerializedCards } from '../posts/card/card-json.js';
import { type FeedSelection, planOf, sortPathOf } from './feed-plan.js';
import { FeedReader } from './feed-reader.js';

/** Cards a head holds: 500 cards are about 0.7 MB. */
export const HEAD_CARDS = 500;
/** Cards per query while a head is built, so that the event loop is never held for more than a few milliseconds. */
const CHUNK_CARDS = 50;
/** Of CACHE_MAX_BYTES, for all heads together. */
const HEADS_SHARE = 0.25;
/** What a card takes beside its JSON: its place, its rank, its id. */
const BYTES_BESIDE_CARD = 150;
const MAX_FEEDS = 64;
/** A head is worth building for a feed that was asked for this often since it was last looked at. */
const POPULAR_AFTER = 3;
const MIN_REBUILD_INTERVAL_MS = 1_000;

type FeedHead = {
  epoch: number;
  cards: SerializedCards;
  positions: Map<string, number>;
  isComplete: boolean;
  bytes: number;
  builtAt: number;
  generation: number;
};

/** The cards of one page: part of a longer run; there are more when it does not reach to the end of it. */
export type CardSlice = { cards: SerializedCards; from: number; to: number };

type KnownFeed = { requests: number; head: FeedHead | null; isBuilding: boolean; lastBuildAt: number };

/**
 * The first few hundred cards of each popular feed, in order, as ready JSON: any `limit` and any cursor inside is a slice of its bytes,
 * not a query. Built in the background, one build per feed at a time; a page that no head holds is read from the database.
 */
@Injectable()
export class FeedHeadCache {
  private readonly logger = new Logger('FeedHeadCache');
  /** by scope; the one that was asked for last is at the end */
  private readonly feeds = new Map<string, KnownFeed>();
  private readonly maxBytes: number;
  private generation = 0;
  readonly counts = { built: 0 };

  constructor(
    private readonly reader: FeedReader,
    private readonly config: AppConfig,
    private readonly cache: ResponseCache,
  ) {
    this.maxBytes = config.cache.maxBytes * HEADS_SHARE;
    cache.onInvalidate((tags) => {
      if (tags === null || tags.includes('feed')) this.generation++;
    });
  }

  /** The page, or null when no current head holds all of it. */
  page(
    scope: string,
    selection: FeedSelection,
    epoch: number,
    slot: RankSlot,
    after: CursorPosition | null,
    limit: number,
  ): CardSlice | null {
    const feed = this.feedOf(scope);
    feed.requests++;
    const { head } = feed;
    const isCurrent = head !== null && head.epoch === epoch && head.generation === this.generation;
    if (!isCurrent || performance.now() - head.builtAt > this.config.cache.feedTtlMs / 2)
      this.consider(feed, selection, epoch, slot);
    if (!isCurrent || performance.now() - head.builtAt > this.config.cache.feedTtlMs) return null;
    const start = after === null ? 0 : (head.positions.get(after.id) ?? -2) + 1;
    if (start < 0) return null;
    const end = start + limit;
    if (end >= head.cards.length && !head.isComplete) return null;
    return { cards: head.cards, from: start, to: Math.min(end, head.cards.length) };
  }

  private feedOf(scope: string): KnownFeed {
    let feed = this.feeds.get(scope);
    if (feed !== undefined) {
      this.feeds.delete(scope);
    } else {
      feed = { requests: 0, head: null, isBuilding: false, lastBuildAt: -Infinity };
      if (this.feeds.size >= MAX_FEEDS) this.forgetOldest();
    }
    this.feeds.set(scope, feed);
    return feed;
  }

  private consider(feed: KnownFeed, selection: FeedSelection, epoch: number, slot: RankSlot): void {
    if (feed.isBuilding || feed.requests < POPULAR_AFTER) return;
    if (performance.now() - feed.lastBuildAt < MIN_REBUILD_INTERVAL_MS) return;
    feed.isBuilding = true;
    feed.lastBuildAt = performance.now();
    feed.requests = 0;
    this.build(selection, epoch, slot)
      .then((head) => this.keep(feed, head))
      .catch((error: unknown) => this.logger.warn(`the head of a feed could not be built: ${String(error)}`))
      .finally(() => (feed.isBuilding = false));
  }

  private async build(selection: FeedSelection, epoch: number, slot: RankSlot): Promise<FeedHead> {
    const { generation } = this;
    const builtAt = performance.now();
    const rankPath = sortPathOf(selection.sort, slot);
    const chunks: SerializedCards[] = [];
    let isComplete = false;
    let bytes = 0;
    while (chunks.length * CHUNK_CARDS < HEAD_CARDS && bytes < this.maxBytes / 4 && !isComplete) {
      const last = chunks.at(-1);
      const after =
        last === undefined ? null : { epoch, value: last.value(last.length - 1), id: last.id(last.length - 1) };
      const chunk = await this.reader.read(planOf(selection, slot, after), rankPath, CHUNK_CARDS);
      isComplete = chunk.length < CHUNK_CARDS;
      bytes += chunk.byteLength + chunk.length * BYTES_BESIDE_CARD;
      chunks.push(chunk);
    }
    const cards = SerializedCards.concat(chunks);
    const positions = new Map<string, number>();
    for (let index = 0; index < cards.length; index++) positions.set(cards.id(index), index);
    return { epoch, cards, positions, isComplete, bytes, builtAt, generation };
  }

  private keep(feed: KnownFeed, head: FeedHead): void {
    feed.head = head;
    this.counts.built++;
    while (this.bytes > this.maxBytes) this.forgetOldest();
    this.cache.store.reserve(this.bytes);
  }

  /** Of all heads. */
  get bytes(): number {
    let sum = 0;
    for (const { head } of this.feeds.values()) sum += head?.bytes ?? 0;
    return sum;
  }

  private forgetOldest(): void {
    this.feeds.delete(this.feeds.keys().next().value!);
  }
}
