import { ObjectId } from 'mongodb';
import { idAt } from '../../activity/actor-range.js';
import type { Notification } from '../notification.schema.js';

/** If more groups are new, the client receives a `reset` and reloads the list. */
export const MAX_NEW = 50;
/** A group commits at most this long after its `seq`: transactions last at most 60 s, and the clocks of hosts differ by less than 5 s. */
const OVERLAP_SECONDS = 65;
const MAX_RESUME_SECONDS = 86_400;

type Row = Pick<Notification, 'seq'>;

const secondsOf = (hex: string): number => Number.parseInt(hex.slice(0, 8), 16);
const hexAt = (seconds: number): string => idAt(new Date(seconds * 1_000)).toHexString();

/**
 * The latest group that a stream has sent. Concurrent transactions may commit out of `seq` order, so each read starts OVERLAP_SECONDS
 * before the position and skips groups already sent. A resumed stream sends the groups of that interval again.
 */
export class StreamPosition {
  /** the `seq` of groups after `since` that were sent or skipped */
  private readonly sentSeqs = new Set<string>();
  private minSince = '';

  /** @param latest the id of the client's last event, as hex */
  constructor(private latest = idAt(new Date()).toHexString()) {}

  get id(): string {
    return this.latest;
  }

  /** start of the next read, exclusive */
  get since(): ObjectId {
    return ObjectId.createFromHexString(this.sinceHex);
  }

  /** Whether a client may resume here: the position is less than a day old and not in the future. */
  get isRecent(): boolean {
    const age = Date.now() / 1_000 - secondsOf(this.latest);
    return age < MAX_RESUME_SECONDS && age > -OVERLAP_SECONDS;
  }

  /**
   * Returns the rows that were not taken before, oldest first, each with the position after the row.
   * @param rows latest first
   */
  take<R extends Row>(rows: readonly R[]): { row: R; id: string }[] {
    const taken: { row: R; id: string }[] = [];
    for (const row of rows.toReversed()) {
      const hex = row.seq.toHexString();
      if (this.sentSeqs.has(hex)) continue;
      this.sentSeqs.add(hex);
      if (hex > this.latest) this.latest = hex;
      taken.push({ row, id: this.latest });
    }
    const since = this.sinceHex;
    for (const hex of this.sentSeqs) if (hex <= since) this.sentSeqs.delete(hex);
    return taken;
  }

  /** Marks rows as sent without returning them. @param rows latest first */
  skip(rows: readonly Row[]): void {
    this.take(rows);
    if (rows.length > MAX_NEW) this.minSince = rows[0]!.seq.toHexString();
  }

  private get sinceHex(): string {
    const since = hexAt(secondsOf(this.latest) - OVERLAP_SECONDS);
    return since > this.minSince ? since : this.minSince;
  }
}
