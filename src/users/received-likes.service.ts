import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type Collection, ObjectId } from 'mongodb';
import { JobTriggers } from '../platform/jobs/job-triggers.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { type ReceivedLikesChange, ReceivedLikesChangeSchema } from './received-likes.schema.js';
import { UsersService } from './users.service.js';

const JOB = 'received likes';
const FOLD_EVERY_MS = 1_000;
const MAX_ROWS = 1_000;

/**
 * Counts the likes that authors receive. Votes on many posts would conflict at their author, so a vote adds a row, and the counters follow
 * within a second: counter and pending rows together always equal the likes of the posts.
 */
@Injectable()
export class ReceivedLikesService implements OnModuleInit {
  private readonly rows: Collection<ReceivedLikesChange>;

  constructor(
    private readonly mongo: MongoService,
    private readonly users: UsersService,
    private readonly triggers: JobTriggers,
  ) {
    this.rows = mongo.collection(ReceivedLikesChangeSchema);
  }

  onModuleInit(): void {
    this.triggers.register(JOB, {
      everyMs: FOLD_EVERY_MS,
      dueInMs: () => this.dueInMs(),
      work: (signal) => this.fold(signal),
    });
  }

  /** Runs in the transaction that moves the likes of the posts. @param changes by hex id of the author */
  async add(changes: ReadonlyMap<string, number>, tx: Transaction): Promise<void> {
    const moved = [...changes].filter(([, change]) => change !== 0);
    if (moved.length === 0) return;
    await tx.insert(this.rows, [{ _id: new ObjectId(), changes: Object.fromEntries(moved) }]);
    tx.afterCommit(() => this.triggers.fire(JOB));
  }

  /** Adds all pending likes to the counters of their authors. */
  async fold(signal: AbortSignal): Promise<void> {
    while (await this.foldRows()) signal.throwIfAborted();
  }

  private async dueInMs(): Promise<number> {
    return (await this.rows.findOne({}, { projection: { _id: 1 } })) === null ? Infinity : 0;
  }

  /** Merges a full batch into one row, because a part of the rows could take a counter below zero. @returns whether more rows remain */
  private foldRows(): Promise<boolean> {
    return this.mongo.transaction(async (tx) => {
      const rows = await this.rows.find({}, { session: tx.session }).limit(MAX_ROWS).toArray();
      const sums = new Map<string, number>();
      for (const { changes } of rows)
        for (const [author, change] of Object.entries(changes)) sums.set(author, (sums.get(author) ?? 0) + change);
      const isPart = rows.length === MAX_ROWS;
      if (isPart) await this.add(sums, tx);
      else {
        const stats = [...sums].map(([author, likesReceivedCount]) => [author, { likesReceivedCount }] as const);
        await this.users.applyStats(new Map(stats), tx);
      }
      const ids = rows.map(({ _id }) => _id);
      await tx.delete(this.rows, ids);
      return isPart;
    });
  }
}
