import { Injectable } from '@nestjs/common';
import { type Db, type Document, ObjectId } from 'mongodb';

/** figures of a day of the site; `firstActionSeconds` is null on a day without a decision */
export const DAILY_COUNTS = [
  ...['newAccounts', 'activeAccounts', 'posts', 'comments', 'likes', 'reports', 'firstActionSeconds', 'mails'],
] as const;
export type DailyCount = (typeof DAILY_COUNTS)[number];

/** From the start of a day (UTC) to the start of the next one. */
export type Day = { name: string; from: Date; to: Date };

type Count = (db: Db, day: Day) => Promise<number | null>;

/** Modules register here how to count the rows of a day, in their constructors. A job counts each day a few times. */
@Injectable()
export class DailyCounts {
  private readonly counts = new Map<DailyCount, Count>();

  add(name: DailyCount, count: Count): void {
    this.counts.set(name, count);
  }

  async of(db: Db, day: Day): Promise<Record<string, number | null>> {
    const values: Record<string, number | null> = {};
    for (const [name, count] of this.counts) values[name] = await count(db, day);
    return values;
  }
}

/** Counts the rows of a collection whose id was created on the day. */
export function byId(collection: string): Count {
  return (db, day) => db.collection(collection).countDocuments(createdOn(day));
}

export function createdOn({ from, to }: Day): Document {
  const idAt = (time: Date): ObjectId => ObjectId.createFromTime(time.getTime() / 1_000);
  return { _id: { $gte: idAt(from), $lt: idAt(to) } };
}

/** Returns the middle of some numbers, and null without any. */
export function median(numbers: readonly number[]): number | null {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null;
}
