import { ObjectId } from 'mongodb';
import { idAt } from '../activity/actor-range.js';
import type { Notification } from './notification.schema.js';

/** More groups at once are a `reset`: the client reads the list. */
export const MAX_NEW = 50;
/** A transaction lasts at most 60 s, and clocks of hosts differ by less than 5 s: a group commits at most this long after its `seq`. */
const OVERLAP_SECONDS = 65;
const MAX_RESUME_SECONDS = 86_400;

type Row = Pick<Notification, 'seq'>;

const secondsOf = (hex: string): number => Number.parseInt(hex.slice(0, 8), 16);
const hexAt = (seconds: number): string => idAt(new Date(seconds * 1_000)).toHexString();

/**
 * The latest group that a stream has sent. Groups of concurrent transactions may commit in another order than their `seq`, so the time
 * before the position is read again, without the groups that were sent. A client that resumes gets the groups of that time once more.
 */
export class StreamPosition {
  /** sent, or not to be sent, above `since` */
  private readonly passed = new Set<string>();
  private floor = '';

  /** @param id of the last event of the client, as hex */
  constructor(private latest = idAt(new Date()).toHexString()) {}

  get id(): string {
    return this.latest;
  }

  /** Groups after it are read. */
  get since(): ObjectId {
    return ObjectId.createFromHexString(this.sinceHex);
  }

  /** Whether a client may resume here: not after a day, and not in the future. */
  get isRecent(): boolean {
    const age = Date.now() / 1_000 - secondsOf(this.latest);
    return age < MAX_RESUME_SECONDS && age > -OVERLAP_SECONDS;
  }

  /** The rows that were not taken before, oldest first, each with the position after it. @param rows latest first */
  take<R extends Row>(rows: readonly R[]): { row: R; id: string }[] {
    const taken: { row: R; id: string }[] = [];
    for (const row of rows.toReversed()) {
      const hex = row.seq.toHexString();
      if (this.passed.has(hex)) continue;
      this.passed.add(hex);
      if (hex > this.latest) this.latest = hex;
      taken.push({ row, id: this.latest });
    }
    const since = this.sinceHex;
    for (const hex of this.passed) if (hex <= since) this.passed.delete(hex);
    return taken;
  }

  /** Passes over the rows of this moment. @param rows latest first */
  skip(rows: readonly Row[]): void {
    this.take(rows);
    if (rows.length > MAX_NEW) this.floor = rows[0]!.seq.toHexString();
  }

  private get sinceHex(): string {
    const since = hexAt(secondsOf(this.latest) - OVERLAP_SECONDS);
    return since > this.floor ? since : this.floor;
  }
}
