import type { Binary, Collection, Document } from 'mongodb';
import { isDuplicateKey } from '../platform/mongo/duplicate-key.js';
import type { MongoService } from '../platform/mongo/mongo.service.js';
import { FORGET_AFTER_SECONDS, type SignInFailure, SignInFailureSchema } from './sign-in-failure.schema.js';

/** `free` failures have no delay; each further one doubles it, from a second up to the longest. */
export type WaitRule = { free: number; longestMs: number };

/** A failover may lose recent counts, but each sign-in saves three waits for the journal. */
const WRITE_CONCERN = { w: 1, journal: false } as const;
const MAX_DOUBLINGS = 20;

/** Counts of failed attempts, one row each, shared by all hosts. Each change is one command, computed by the server. */
export class SignInFailures {
  /** the clock of the database; tests replace it */
  now: () => '$$NOW' | Date = () => '$$NOW';

  constructor(private readonly mongo: MongoService) {}

  /**
   * Counts an attempt if its delay has passed. Concurrent attempts count as failures until they succeed.
   * @param isDue true: counts the attempt regardless of the rule
   * @returns the milliseconds to wait, 0 when it was counted
   */
  async count(_id: Binary, attempt: string, rule: WaitRule, isDue = false): Promise<number> {
    const now = this.now();
    const waitMs = waitOf(rule, now);
    const ifDue = (then: unknown, otherwise: unknown) =>
      isDue ? then : { $cond: [{ $lte: [waitMs, 0] }, then, otherwise] };
    const change = {
      failures: ifDue({ $add: [remembered(now), 1] }, '$failures'),
      previousAt: ifDue({ $ifNull: ['$at', now] }, '$previousAt'),
      at: ifDue(now, '$at'),
      attempt: ifDue(attempt, '$attempt'),
    };
    const row = await this.upsert(_id, [{ $set: change }], { attempt: 1, waitMs });
    return row['attempt'] === attempt ? 0 : Math.max(1, row['waitMs'] as number);
  }

  /** Removes an attempt that was not a failure, or `forgiven` failures in all. */
  async undo(_id: Binary, attempt: string, forgiven = 1): Promise<void> {
    const change = {
      failures: { $max: [0, { $subtract: ['$failures', forgiven] }] },
      // Restores the earlier time if no attempt was counted since.
      at: { $cond: [{ $eq: ['$attempt', attempt] }, '$previousAt', '$at'] },
    };
    await this.rows.updateOne({ _id }, [{ $set: change }], { writeConcern: WRITE_CONCERN });
  }

  /** Deletes the failures of a row, and returns their number. */
  async delete(_id: Binary): Promise<number> {
    return (await this.rows.findOneAndDelete({ _id }, { writeConcern: WRITE_CONCERN }))?.failures ?? 0;
  }

  private async upsert(_id: Binary, update: Document[], projection: Document): Promise<Document> {
    const options = { upsert: true, returnDocument: 'after', projection, writeConcern: WRITE_CONCERN } as const;
    for (;;) {
      try {
        return (await this.rows.findOneAndUpdate({ _id }, update, options))!;
      } catch (error) {
        // Two concurrent first attempts inserted the same row.
        if (!isDuplicateKey(error)) throw error;
      }
    }
  }

  private get rows(): Collection<SignInFailure> {
    return this.mongo.collection(SignInFailureSchema);
  }
}

/** The failures of a row that still count: MongoDB may delete an expired row a minute late. */
function remembered(now: '$$NOW' | Date): Document {
  const forgottenAt = { $add: ['$at', FORGET_AFTER_SECONDS * 1_000] };
  return { $cond: [{ $gt: [forgottenAt, now] }, { $ifNull: ['$failures', 0] }, 0] };
}

function waitOf({ free, longestMs }: WaitRule, now: '$$NOW' | Date): Document {
  const doublings = { $min: [MAX_DOUBLINGS, { $subtract: [remembered(now), free] }] };
  const fromLast = { $min: [longestMs, { $multiply: [1_000, { $pow: [2, doublings] }] }] };
  const left = { $subtract: [{ $add: ['$at', fromLast] }, now] };
  return { $cond: [{ $lt: [remembered(now), free] }, 0, { $max: [0, left] }] };
}
