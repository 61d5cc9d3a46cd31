import type { Document, ObjectId } from 'mongodb';
import { settingsOf } from './lanes.js';
import type { Lane, TaskKey } from '../mongo/transaction-rows.js';

type Running = { _id: ObjectId; keys?: readonly TaskKey[] };

/** The places of a lane, and the tasks that hold them. One process runs a lane, so the places need no rows. */
export class LanePlaces {
  private readonly running = new Map<string, Running>();

  constructor(private readonly lane: Lane) {}

  get isFull(): boolean {
    return this.running.size >= settingsOf(this.lane).places;
  }

  get isEmpty(): boolean {
    return this.running.size === 0;
  }

  take(task: Running): void {
    this.running.set(task._id.toHexString(), task);
  }

  leave({ _id }: Running): void {
    this.running.delete(_id.toHexString());
  }

  /** Matches the tasks that may start now: they do not run already, and none of their keys holds all its places. */
  filter(): Document {
    const ids = [...this.running.values()].map(({ _id }) => _id);
    const full = this.fullKeys();
    return {
      // As an expression, so that MongoDB does not consider the index of `_id`.
      ...(ids.length > 0 && { $nor: [{ $expr: { $in: ['$_id', ids] } }] }),
      ...(full.length > 0 && { keys: { $nin: full } }),
    };
  }

  private fullKeys(): TaskKey[] {
    const { placesPerKey = {} } = settingsOf(this.lane);
    const counts = new Map<TaskKey, number>();
    for (const { keys = [] } of this.running.values())
      for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
    return [...counts].flatMap(([key, count]) => {
      const kind = key.slice(0, key.indexOf(':')) as keyof typeof placesPerKey;
      return count >= (placesPerKey[kind] ?? Infinity) ? [key] : [];
    });
  }
}
