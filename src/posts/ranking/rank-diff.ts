import { ObjectId } from 'mongodb';
import { BSON_TYPE, BsonFields, numberIn } from '../../common/bson-fields.js';
import { BsonLayout } from '../../common/bson-layout.js';
import type { RawBatch } from '../../platform/mongo/raw-scan.js';
import { rankAt, rankHoldsUntil, SCORED_COUNTERS, type ScoredStats } from './score.js';
import { otherSlot, type RankSlot } from './score-epoch.js';

/** A post whose rank is not what the slot holds, or not due when it says, with the fields that differ. */
export type MovedPost = { _id: ObjectId; changes: Record<string, number | Date> };

/**
 * What the formula needs, in whole fields: the server copies them as they are, which costs mongod a fifth of an expression that
 * compares there (0.11 against 0.55 s for 100,000 posts, docs/performance/score-job.md).
 */
export const SCORED_FIELDS = { stats: 1, visitors: 1, rank: 1, createdAt: 1, contentEditedAt: 1 } as const;

const ID_BYTES = 12;
const POST_FIELDS = ['_id', 'stats', 'visitors', 'rank', 'createdAt', 'contentEditedAt'] as const;
const VISITOR_FIELDS = ['reads', 'shares'] as const;
const POST = new BsonFields(POST_FIELDS);
const STATS = new BsonFields(SCORED_COUNTERS);
const VISITORS = new BsonFields(VISITOR_FIELDS);
/** where in `Places` what is */
const AT = {
  id: 0,
  counters: 1,
  visitors: 6,
  slot: 8,
  otherSlot: 11,
  due: 14,
  createdAt: 15,
  contentEditedAt: 16,
} as const;
/** where in a slot */
const HOT = 0;
const TOP = 1;
const WIN = 2;
/** A slot differs from the formula already: the next run has to look at the post. */
const AT_ONCE_MS = 0;
/** All posts of this program have one layout, some more when an older version wrote some. */
const LAYOUTS_KEPT = 4;

/** Where a post has the fields of `AT`, counted from its start; type 0 where it has none. */
type Places = { types: number[]; offsets: number[] };
type KnownLayout = { layout: BsonLayout; places: Places };

/**
 * Reads posts as BSON and scores them; an object is made of those only that moved. `rank.due` becomes the moment until which both slots
 * hold what the formula gives, and a moment long past where the other slot does not.
 */
export class MovedPosts {
  private readonly rank: BsonFields;
  private readonly fields: string[];
  private readonly id = { id: new Uint8Array(ID_BYTES) };
  private readonly stats: Required<ScoredStats> = {
    viewsCount: 0,
    readsCount: 0,
    likesCount: 0,
    dislikesCount: 0,
    sharesCount: 0,
    visitorReads: 0,
    visitorShares: 0,
  };
  private readonly nowMs: number;
  /** the one met last comes first */
  private layouts: KnownLayout[] = [];

  constructor(slot: RankSlot, now: Date) {
    this.nowMs = now.getTime();
    const other = otherSlot(slot);
    this.fields = [`hot${slot}`, `top${slot}`, `win${slot}`, `hot${other}`, `top${other}`, `win${other}`, 'due'];
    this.rank = new BsonFields(this.fields);
  }

  in({ buffer, offsets }: RawBatch): MovedPost[] {
    const moved: MovedPost[] = [];
    const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
    for (const offset of offsets) {
      const post = this.read(view, offset, this.placesIn(buffer, view, offset));
      if (post !== null) moved.push(post);
    }
    return moved;
  }

  /** Null when the slot holds already what the formula gives, and the post says when that ends. */
  private read(view: DataView, start: number, { types, offsets }: Places): MovedPost | null {
    const numberOf = (field: number) => numberIn(view, types[field]!, start + offsets[field]!);
    // posts of an earlier version say nothing of visitors
    const countOf = (field: number) => (types[field] === 0 ? 0 : numberOf(field));
    const { id, stats } = this;
    for (let at = 0; at < ID_BYTES; at++) id.id[at] = view.getUint8(start + offsets[AT.id]! + at);
    stats.viewsCount = numberOf(AT.counters);
    stats.readsCount = numberOf(AT.counters + 1);
    stats.likesCount = numberOf(AT.counters + 2);
    stats.dislikesCount = numberOf(AT.counters + 3);
    stats.sharesCount = numberOf(AT.counters + 4);
    stats.visitorReads = countOf(AT.visitors);
    stats.visitorShares = countOf(AT.visitors + 1);
    const createdAt = numberOf(AT.createdAt);
    const contentEditedAt = numberOf(AT.contentEditedAt);
    const rank = rankAt(stats, createdAt, contentEditedAt, this.nowMs, id);
    const holds = (field: number, value: number) => types[field] !== 0 && numberOf(field) === value;
    const isHotHeld = holds(AT.slot + HOT, rank.hot);
    const isTopHeld = holds(AT.slot + TOP, rank.top);
    const isWinHeld = holds(AT.slot + WIN, rank.win);
    const isOtherHeld =
      holds(AT.otherSlot + HOT, rank.hot) && holds(AT.otherSlot + TOP, rank.top) && holds(AT.otherSlot + WIN, rank.win);
    const due = isOtherHeld ? rankHoldsUntil(stats, createdAt, contentEditedAt, this.nowMs) : AT_ONCE_MS;
    const isDueHeld = types[AT.due] === BSON_TYPE.date && numberOf(AT.due) === due;
    if (isHotHeld && isTopHeld && isWinHeld && isDueHeld) return null;
    const changes: MovedPost['changes'] = {};
    // fields that stay are left out: naming an indexed field costs the server a look at its indexes
    if (!isHotHeld) changes[this.pathOf(HOT)] = rank.hot;
    if (!isTopHeld) changes[this.pathOf(TOP)] = rank.top;
    if (!isWinHeld) changes[this.pathOf(WIN)] = rank.win;
    if (!isDueHeld) changes['rank.due'] = new Date(due);
    return { _id: new ObjectId(Uint8Array.from(id.id)), changes };
  }

  private pathOf(field: number): string {
    return `rank.${this.fields[field]}`;
  }

  private placesIn(buffer: Buffer, view: DataView, start: number): Places {
    for (const known of this.layouts) {
      if (!known.layout.matches(view, start)) continue;
      if (known !== this.layouts[0]) this.putFirst(known);
      return known.places;
    }
    const places = this.find(buffer, start);
    this.putFirst({ layout: new BsonLayout(buffer, start), places });
    return places;
  }

  private putFirst(known: KnownLayout): void {
    this.layouts = [known, ...this.layouts.filter((other) => other !== known)].slice(0, LAYOUTS_KEPT);
  }

  /** By name, whatever the post's layout. */
  private find(buffer: Buffer, start: number): Places {
    const places: Places = { types: [], offsets: [] };
    const add = ({ types, offsets }: BsonFields, field: number) => {
      places.types.push(types[field]!);
      places.offsets.push(offsets[field]! - start);
    };
    const addWithin = (fields: BsonFields, names: readonly string[], parent: number) => {
      if (POST.types[parent] === BSON_TYPE.document) fields.read(buffer, POST.offsets[parent]!);
      else fields.types.fill(0);
      names.forEach((_, field) => add(fields, field));
    };
    POST.read(buffer, start);
    add(POST, 0);
    addWithin(STATS, SCORED_COUNTERS, 1);
    addWithin(VISITORS, VISITOR_FIELDS, 2);
    addWithin(this.rank, this.fields, 3);
    add(POST, 4);
    add(POST, 5);
    return places;
  }
}
