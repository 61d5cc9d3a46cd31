import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import {
  BSON,
  type ClientSession,
  type Collection,
  type CommandFailedEvent,
  type Db,
  type Document,
  MongoBulkWriteError,
  MongoError,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
  type MongoClient,
  MongoNetworkTimeoutError,
} from 'mongodb';
import type { Connection, Schema } from 'mongoose';
import { isDatabaseOutage, isEndedSocket } from '../../common/database-outage.js';
import { CodedError } from '../../common/errors.js';
import { KeyedMutex } from '../../common/semaphore.js';
import { within } from '../../common/within.js';
import { BatchCommands } from './batch-commands.js';
import { commit, jitter } from './commit.js';
import { OrphanedTransactions } from './orphaned-transactions.js';

/** After this time no attempt and no commit is repeated. */
const DEFAULT_TIMEOUT_MS = 10_000;
const ORPHANS_FROM_ATTEMPT = 3;
/** calls that wait for one row, for as long as they may try */
const TURN_LIMITS = { waiting: 200, waitMs: DEFAULT_TIMEOUT_MS };
/** Bounds an abort, which would otherwise wait for a server as long as any command, beyond the deadline of its transaction. */
const ABORT_TIMEOUT_MS = 500;

/** The native driver behind mongoose's connection, for hot paths and transactions. */
@Injectable()
export class MongoService {
  /** for batches inside a transaction */
  readonly batch = new BatchCommands(() => this.db);
  private readonly afterCommits = new WeakMap<ClientSession, (() => void)[]>();
  private readonly turns = new KeyedMutex(TURN_LIMITS);
  private readonly orphans = new OrphanedTransactions(() => this.db);
  private readonly answers: CommandTimeouts;

  constructor(@InjectConnection() readonly connection: Connection) {
    this.client.on('commandFailed', decodeTopologyVersion);
    this.answers = new CommandTimeouts(this.client);
  }

  get client(): MongoClient {
    return this.connection.getClient();
  }

  get db(): Db {
    if (!this.connection.db)
      throw new CodedError('database_unavailable', 'There is no database connection.', { retryAfterSeconds: 1 });
    return this.connection.db;
  }

  /** The collection of a schema, or of this name. Creates a few objects, so hot paths keep the result. */
  collection<T extends Document>(of: Schema<T> | string): Collection<T> {
    return this.db.collection<T>(typeof of === 'string' ? of : of.get('collection')!);
  }

  /**
   * Runs `fn` in one transaction, majority and journaled; an error of `fn` rolls back and is rethrown. `fn` runs again after a conflict
   * or a failover, so it must have no effects except through `session`. After the timeout it throws `overloaded` when nothing was
   * written, `database_unavailable` when the outcome of the commit is unknown.
   */
  transaction<T>(
    fn: (session: ClientSession) => Promise<T>,
    { timeoutMs = DEFAULT_TIMEOUT_MS }: { timeoutMs?: number } = {},
  ): Promise<T> {
    const deadline = performance.now() + timeoutMs;
    return this.attempt(deadline, async () => {
      const session = this.client.startSession();
      const id = session.id?.id;
      try {
        await this.answers.wait(this.orphans.remember(id), deadline);
        session.startTransaction({
          readConcern: { level: 'snapshot' },
          writeConcern: { w: 'majority', journal: true },
          readPreference: 'primary',
          maxCommitTimeMS: Math.max(1, Math.ceil(deadline - performance.now())),
        });
        const result = await this.answers.wait(fn(session), deadline);
        await commit(() => this.answers.wait(session.commitTransaction(), deadline), deadline);
        this.committed(session);
        await session.endSession();
        return result;
      } catch (error) {
        const aborting = this.abort(session);
        // an attempt that continues would conflict with the next one, so only a lost server is not waited for
        const isLost = isOutcomeUnknown(error);
        const leftMs = deadline - performance.now();
        const isAborted = await within(isLost ? Math.min(ABORT_TIMEOUT_MS, leftMs) : leftMs, aborting);
        // the driver marks a session only when its command was the first to notice the lost connection
        const { serverSession } = session;
        serverSession.isDirty ||= isAborted !== true || isLost;
        if (serverSession.isDirty) this.orphans.leave(id);
        void aborting.then(() => session.endSession());
        throw error;
      }
    });
  }

  /**
   * The same for transactions that all write the row `row`: in this process they run one after the other, since concurrent ones
   * would only make each other run again. @throws CodedError `overloaded` also when the queue is full, or the wait too long
   */
  serializedTransaction<T>(row: string, fn: (session: ClientSession) => Promise<T>): Promise<T> {
    return this.turns.run(row, () => this.transaction(fn), contention);
  }

  /** Calls `then` once the transaction of `session` is committed; not for an abandoned attempt. */
  afterCommit(session: ClientSession, then: () => void): void {
    const waiting = this.afterCommits.get(session);
    if (waiting === undefined) this.afterCommits.set(session, [then]);
    else waiting.push(then);
  }

  private async abort(session: ClientSession): Promise<true> {
    if (session.inTransaction()) await session.abortTransaction().catch(() => {});
    return true;
  }

  private committed(session: ClientSession): void {
    for (const then of this.afterCommits.get(session) ?? []) then();
    this.afterCommits.delete(session);
  }

  private async attempt<T>(deadline: number, run: () => Promise<T>): Promise<T> {
    let hadConflict = false;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await run();
      } catch (error) {
        const isBroken = isConnectionLost(error);
        // after a lost connection the next attempt may find no server
        if (attempt > 0 && error instanceof MongoServerSelectionError) throw unavailable(error);
        if (!isBroken && !hasLabel(error, 'TransientTransactionError')) throw error;
        const backOffMs = jitter(attempt);
        hadConflict ||= !isBroken;
        // a database that returned conflicts until then is available
        if (performance.now() + backOffMs >= deadline) throw hadConflict ? contention(error) : unavailable(error);
        // repeated conflicts may be with a transaction that a dead process has left open
        if (!isBroken && attempt >= ORPHANS_FROM_ATTEMPT) await this.orphans.end();
        await sleep(backOffMs);
      }
    }
  }
}

/**
 * The driver leaves `topologyVersion` as bytes in the error of a raw command, and the next error of any command fails with a TypeError.
 * This event comes before the driver reads the error.
 */
function decodeTopologyVersion({ failure }: CommandFailedEvent): void {
  const error = failure as Error & { topologyVersion?: unknown };
  if (error.topologyVersion instanceof Uint8Array) error.topologyVersion = BSON.deserialize(error.topologyVersion);
}

function unavailable(cause: unknown): CodedError {
  const detail = 'The database does not answer; nothing was stored.';
  return new CodedError('database_unavailable', detail, { retryAfterSeconds: 1, cause });
}

function contention(cause?: unknown): CodedError {
  return new CodedError('overloaded', 'Too many concurrent changes to the same resource.', {
    retryAfterSeconds: 1,
    cause,
  });
}

/** False after a write conflict: the server has rolled the transaction back, and the session continues. */
function isOutcomeUnknown(error: unknown): boolean {
  const inner = error instanceof MongoBulkWriteError ? error.errorResponse : error;
  if (inner instanceof MongoServerError && inner.hasErrorLabel('TransientTransactionError')) return false;
  return isDatabaseOutage(error) || (error as { code?: unknown }).code === 'database_unavailable';
}

function hasLabel(error: unknown, label: string): error is MongoError {
  return error instanceof MongoError && error.hasErrorLabel(label);
}

/**
 * The driver labels a connection that broke during a command, but not one that broke while opening, nor one whose pool was cleared; a bulk
 * write wraps any error. Nothing is committed before `commit`, so the function may run again.
 */
function isConnectionLost(error: unknown): boolean {
  const inner = error instanceof MongoBulkWriteError ? error.errorResponse : error;
  return inner instanceof MongoNetworkError || isEndedSocket(inner);
}

/** A transaction waits this much longer than its deadline for a last response. */
const LAST_ANSWER_MS = 500;
/** By then the driver has failed every command in flight on the connections that it closed. */
const FAILED_WITHIN_MS = 1_000;

/**
 * Bounds the wait for the driver. A command sent on a closing connection never completes or fails, because the driver waits for
 * `drain` of a closed socket. StuckConnectionMonitor ends a process that has such a command.
 */
class CommandTimeouts {
  private readonly cancelers = new Set<(reason: string) => void>();

  constructor(client: MongoClient) {
    client.on('connectionPoolCleared', () => {
      const before = [...this.cancelers];
      const fail = (): void => before.forEach((giveUp) => giveUp('its connection was given up'));
      setTimeout(fail, FAILED_WITHIN_MS).unref();
    });
  }

  /** @throws MongoNetworkTimeoutError a second after connections were closed, or half a second after the deadline; `work` continues */
  async wait<T>(work: Promise<T>, deadline: number): Promise<T> {
    let giveUp: (reason: string) => void = () => {};
    const late = new Promise<never>((_resolve, reject) => {
      giveUp = (reason) => reject(new MongoNetworkTimeoutError(`No answer: ${reason}`));
    });
    const leftMs = Math.max(0, deadline - performance.now());
    const timer = setTimeout(() => giveUp('the time of the transaction is over'), leftMs + LAST_ANSWER_MS);
    this.cancelers.add(giveUp);
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
      this.cancelers.delete(giveUp);
    }
  }
}
