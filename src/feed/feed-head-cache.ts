import { Injectable, Logger } from '@nestjs/common';
import type { CursorPosition } from '../common/cursor.js';
import { monotonicMs } from '../common/monotonic.js';
import { AppConfig } from '../config/app-config.js';
import type { RankSlot } from '../posts/ranking/score-epoch.js';
import { ResponseCache } from '../platform/cache/response-cache.js';
import { SerializedCards } from './card-json.js';
import { type FeedSelection, planOf, sortPathOf } from './feed-plan.js';
import { FeedReader } from './feed-reader.js';

/** Cards a window holds: 500 cards are about 0.7 MB. */
export const WINDOW_CARDS = 500;
/** Cards per query while a window is filled, so that the event loop is never held for more than a few milliseconds. */
const CHUNK_CARDS = 50;
const MAX_WINDOWS = 64;
/** A window is worth filling for a feed that was asked for this often since it was last looked at. */
const POPULAR_AFTER = 3;
const MIN_REBUILD_INTERVAL_MS = 1_000;

type Window = {
  epoch: number;
  cards: SerializedCards;
  positions: Map<string, number>;
  isComplete: boolean;
  builtAt: number;
  generation: number;
};

/** The cards of one page: part of a longer run; there are more when it does not reach to the end of it. */
export type CardSlice = { cards: SerializedCards; from: number; to: number };

type Slot = { asked: number; window: Window | null; isBuilding: boolean; lastBuildAt: number };

/**
 * The first few hundred cards of each popular feed, in order, as ready JSON: any `limit` and any cursor inside is a slice of its bytes, not
 * a query. Filled in the background by one builder at a time; a page that no window holds is simply read from the database.
 */
@Injectable()
export class FeedHeadCache {
  private readonly logger = new Logger('FeedHeadCache');
  private readonly slots = new Map<string, Slot>();
  private generation = 0;
  readonly counts = { served: 0, built: 0 };

  constructor(
    private readonly reader: FeedReader,
    private readonly config: AppConfig,
    cache: ResponseCache,
  ) {
    cache.onInvalidate((tags) => {
      if (tags.includes('feed')) this.generation++;
    });
  }

  /** The page, or null when no current window holds all of it. */
  page(
    scope: string,
    selection: FeedSelection,
    epoch: number,
    slot: RankSlot,
    after: CursorPosition | null,
    limit: number,
  ): CardSlice | null {
    const held = this.slotOf(scope);
    held.asked++;
    const { window } = held;
    const isCurrent = window !== null && window.epoch === epoch && window.generation === this.generation;
    if (!isCurrent || monotonicMs() - window.builtAt > this.config.cache.feedTtlMs / 2)
      this.consider(held, selection, epoch, slot);
    if (!isCurrent || monotonicMs() - window.builtAt > this.config.cache.feedTtlMs) return null;
    const start = after === null ? 0 : (window.positions.get(after.id) ?? -2) + 1;
    if (start < 0) return null;
    const end = start + limit;
    if (end >= window.cards.length && !window.isComplete) return null;
    this.counts.served++;
    return { cards: window.cards, from: start, to: Math.min(end, window.cards.length) };
  }

  private slotOf(scope: string): Slot {
    let held = this.slots.get(scope);
    if (held !== undefined) {
      this.slots.delete(scope);
    } else {
      held = { asked: 0, window: null, isBuilding: false, lastBuildAt: -Infinity };
      if (this.slots.size >= MAX_WINDOWS) this.slots.delete(this.slots.keys().next().value as string);
    }
    this.slots.set(scope, held); // most recently used last
    return held;
  }

  private consider(held: Slot, selection: FeedSelection, epoch: number, slot: RankSlot): void {
    if (held.isBuilding || held.asked < POPULAR_AFTER || monotonicMs() - held.lastBuildAt < MIN_REBUILD_INTERVAL_MS)
      return;
    held.isBuilding = true;
    held.lastBuildAt = monotonicMs();
    held.asked = 0;
    this.build(held, selection, epoch, slot)
      .catch((error: unknown) => this.logger.warn(`a feed window could not be filled: ${String(error)}`))
      .finally(() => (held.isBuilding = false));
  }

  private async build(held: Slot, selection: FeedSelection, epoch: number, slot: RankSlot): Promise<void> {
    const { generation } = this;
    const builtAt = monotonicMs();
    const rankPath = sortPathOf(selection.sort, slot);
    const chunks: SerializedCards[] = [];
    let isComplete = false;
    while (chunks.length * CHUNK_CARDS < WINDOW_CARDS && !isComplete) {
      const last = chunks.at(-1);
      const after =
        last === undefined ? null : { epoch, value: last.value(last.length - 1), id: last.id(last.length - 1) };
      const chunk = await this.reader.read(planOf(selection, slot, after), rankPath, CHUNK_CARDS);
      isComplete = chunk.length < CHUNK_CARDS;
      chunks.push(chunk);
    }
    const cards = SerializedCards.concat(chunks);
    const positions = new Map<string, number>();
    for (let index = 0; index < cards.length; index++) positions.set(cards.id(index), index);
    held.window = { epoch, cards, positions, isComplete, builtAt, generation };
    this.counts.built++;
  }
}
