import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import { type ClientSession, ObjectId } from 'mongodb';
import type { Connection } from 'mongoose';

export const SWEEP_TASKS = 'sweep_tasks';

/**
 * What is left to do after a commit. `post`, `comment` and `account` were marked as deleted, their rows remain to be removed;
 * `author-snapshot`: the account's name, username or picture changed and its copies are to follow.
 */
export const POST_TASK = 'post';
export const COMMENT_TASK = 'comment';
export const ACCOUNT_TASK = 'account';
export const AUTHOR_SNAPSHOT_TASK = 'author-snapshot';
export type SweepKind = typeof POST_TASK | typeof COMMENT_TASK | typeof ACCOUNT_TASK | typeof AUTHOR_SNAPSHOT_TASK;

export type SweepTask = {
  _id: ObjectId;
  kind: SweepKind;
  targetId: ObjectId;
  /** this and the other times by the clock of the database */
  createdAt: Date;
  /** when the early pass ended; null before, and for kinds without one */
  earlyDoneAt: Date | null;
  attempts: number;
  /** nobody takes it up before: a failed task waits, a new one may be in the hands of the request that left it */
  retryAt: Date | null;
  lastError: string | null;
};

export type NewSweepTask = Pick<SweepTask, 'kind' | 'targetId'>;
export type AddedSweepTask = Pick<SweepTask, '_id' | 'kind' | 'targetId'>;

/** The queue of the sweeper. A task is added in the transaction of the write it belongs to, so neither exists without the other. */
@Injectable()
export class SweepTasks {
  constructor(@InjectConnection() private readonly connection: Connection) {}

  /** @param heldMs for so long the caller works on it itself (SweepPasses.finishEarly), then it is the sweeper's */
  async add(task: NewSweepTask, session: ClientSession, heldMs = 0): Promise<AddedSweepTask> {
    const [row] = await this.addMany([task], session, heldMs);
    return row!;
  }

  async addMany(tasks: NewSweepTask[], session: ClientSession, heldMs = 0): Promise<AddedSweepTask[]> {
    if (tasks.length === 0) return [];
    const added = tasks.map(({ kind, targetId }) => ({ _id: new ObjectId(), kind, targetId }));
    const retryAt = heldMs === 0 ? null : { $add: ['$$NOW', heldMs] };
    const fresh = { createdAt: '$$NOW', earlyDoneAt: null, attempts: 0, retryAt, lastError: null };
    // an insert cannot name the database's clock, by which the sweeper waits
    const writes = added.map(({ _id, ...task }) => ({
      updateOne: { filter: { _id }, update: [{ $set: { ...task, ...fresh } }], upsert: true },
    }));
    await this.connection.collection<SweepTask>(SWEEP_TASKS).bulkWrite(writes, { session });
    return added;
  }
}
