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
  createdAt: Date;
  /** when the early pass ended; null before, and for kinds without one */
  earlyDoneAt: Date | null;
  attempts: number;
  /** a failed task waits until then */
  retryAt: Date | null;
  lastError: string | null;
};

/** The queue of the sweeper. A task is added in the transaction of the write it belongs to, so neither exists without the other. */
@Injectable()
export class SweepTasks {
  constructor(@InjectConnection() private readonly connection: Connection) {}

  async add(task: { kind: SweepKind; targetId: ObjectId }, session: ClientSession): Promise<void> {
    await this.addMany([task], session);
  }

  async addMany(tasks: { kind: SweepKind; targetId: ObjectId }[], session: ClientSession): Promise<void> {
    if (tasks.length === 0) return;
    const createdAt = new Date();
    const rows = tasks.map(({ kind, targetId }) => ({
      _id: new ObjectId(),
      kind,
      targetId,
      createdAt,
      earlyDoneAt: null,
      attempts: 0,
      retryAt: null,
      lastError: null,
    }));
    await this.connection.collection<SweepTask>(SWEEP_TASKS).insertMany(rows, { session });
  }
}
