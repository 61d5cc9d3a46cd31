import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import {
  type ClientSession,
  type Collection,
  type Db,
  type Document,
  MongoBulkWriteError,
  type MongoClient,
  MongoError,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
  type ReadConcernLevel,
} from 'mongodb';
import type { Connection } from 'mongoose';
import { isDatabaseOutage } from '../../common/database-outage.js';
import { isEndedSocket } from '../../common/ended-socket.js';
import { CodedError } from '../../common/errors.js';
import { monotonicMs } from '../../common/monotonic.js';
import { BatchCommands } from './batch-commands.js';
import { commit, jitter } from './commit.js';
import { OrphanedTransactions } from './orphaned-transactions.js';
import { mendRawErrors } from './raw-errors.js';

export interface TransactionOptions {
  /** after this no attempt and no commit is tried again; default 10 s */
  timeoutMs?: number;
  readConcern?: ReadConcernLevel;
}

const DEFAULT_TIMEOUT_MS = 10_000;
const ORPHANS_FROM_ATTEMPT = 3;
/** An abort waits for a server as long as any command does; where none answers, a transaction would outlast its deadline. */
const ABORT_TIMEOUT_MS = 500;

/** The native driver behind mongoose's connection, for hot paths and transactions. */
@Injectable()
export class MongoService {
  /** for batches inside a transaction */
  readonly batch = new BatchCommands(() => this.db);
  private readonly afterCommits = new WeakMap<ClientSession, (() => void)[]>();
  private readonly orphans = new OrphanedTransactions(() => this.db);

  constructor(@InjectConnection() readonly connection: Connection) {
    mendRawErrors(this.client);
  }

  get client(): MongoClient {
    return this.connection.getClient();
  }

  get db(): Db {
    if (!this.connection.db)
      throw new CodedError('database_unavailable', 'There is no database connection.', { retryAfterSeconds: 1 });
    return this.connection.db;
  }

  /** Costs a few objects: hot paths keep the answer. */
  collection<T extends Document = Document>(name: string): Collection<T> {
    return this.db.collection<T>(name);
  }

  /**
   * Runs `fn` in one transaction, majority and journaled; what it throws rolls back and comes through. `fn` runs again after a write
   * conflict or a failover, so it may have no effect but through `session`. Still failing for such a reason at the end of its time:
   * `overloaded` when nothing was written, `database_unavailable` when the outcome of the commit is not known.
   */
  transaction<T>(fn: (session: ClientSession) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const deadline = monotonicMs() + (options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
    return this.attempt(deadline, async () => {
      const session = this.client.startSession();
      const id = session.id?.id;
      await this.orphans.remember(id);
      try {
        session.startTransaction({
          readConcern: { level: options.readConcern ?? 'snapshot' },
          writeConcern: { w: 'majority', journal: true },
          readPreference: 'primary',
          maxCommitTimeMS: Math.max(1, Math.ceil(deadline - monotonicMs())),
        });
        const result = await fn(session);
        await commit(() => session.commitTransaction(), deadline);
        this.committed(session);
        await session.endSession();
        return result;
      } catch (error) {
        const aborting = session.inTransaction() ? session.abortTransaction().catch(() => {}) : Promise.resolve();
        // one that goes on while the next attempt runs would conflict with it, so only a lost server is not waited for
        const isLost = isOutcomeUnknown(error);
        const leftMs = deadline - monotonicMs();
        const isAborted = await within(isLost ? Math.min(ABORT_TIMEOUT_MS, leftMs) : leftMs, aborting);
        // the driver marks a session only when the command was the first to meet the loss of its connection
        const { serverSession } = session;
        serverSession.isDirty ||= !isAborted || isLost;
        if (serverSession.isDirty) this.orphans.leave(id);
        void aborting.then(() => session.endSession());
        throw error;
      }
    });
  }

  /** Calls `then` when the transaction of `session` is known to be committed, and not for an attempt that is given up. */
  afterCommit(session: ClientSession, then: () => void): void {
    const waiting = this.afterCommits.get(session);
    if (waiting === undefined) this.afterCommits.set(session, [then]);
    else waiting.push(then);
  }

  private committed(session: ClientSession): void {
    for (const then of this.afterCommits.get(session) ?? []) then();
    this.afterCommits.delete(session);
  }

  private async attempt<T>(deadline: number, run: () => Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await run();
      } catch (error) {
        const isBroken = isConnectionLost(error);
        // after a lost connection no server may be found for the next attempt
        if (attempt > 0 && error instanceof MongoServerSelectionError) throw unavailable(error);
        if (!isBroken && !hasLabel(error, 'TransientTransactionError')) throw error;
        const backOffMs = jitter(attempt);
        if (monotonicMs() + backOffMs >= deadline) throw isBroken ? unavailable(error) : tooManyChanges(error);
        // one conflict is everyday life; whoever goes on meeting them may be waiting for the dead
        if (!isBroken && attempt >= ORPHANS_FROM_ATTEMPT) await this.orphans.end();
        await sleep(backOffMs);
      }
    }
  }
}

async function within(timeoutMs: number, work: Promise<unknown>): Promise<boolean> {
  const timeout = new AbortController();
  const late = sleep(Math.max(1, timeoutMs), false, { signal: timeout.signal, ref: false }).catch(() => false);
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    timeout.abort();
  }
}

function unavailable(cause: unknown): CodedError {
  const detail = 'The database does not answer; nothing was stored.';
  return new CodedError('database_unavailable', detail, { retryAfterSeconds: 1, cause });
}

function tooManyChanges(cause: unknown): CodedError {
  return new CodedError('overloaded', 'Too many changes to the same thing at once.', { retryAfterSeconds: 1, cause });
}

/** Not after a write conflict: there the server itself says that the transaction is rolled back, and its session goes on. */
function isOutcomeUnknown(error: unknown): boolean {
  const inner = error instanceof MongoBulkWriteError ? error.errorResponse : error;
  if (inner instanceof MongoServerError && inner.hasErrorLabel('TransientTransactionError')) return false;
  return isDatabaseOutage(error) || (error as { code?: unknown }).code === 'database_unavailable';
}

function hasLabel(error: unknown, label: string): error is MongoError {
  return error instanceof MongoError && error.hasErrorLabel(label);
}

/**
 * The driver labels a connection that broke under a command of a transaction, but not one that broke while it was being opened for
 * it, nor one whose pool was cleared already, and a bulk write wraps any in an error of its own. Nothing is committed before `commit`,
 * so the function may run again.
 */
function isConnectionLost(error: unknown): boolean {
  const inner = error instanceof MongoBulkWriteError ? error.errorResponse : error;
  return inner instanceof MongoNetworkError || isEndedSocket(inner);
}
