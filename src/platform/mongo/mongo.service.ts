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
import { tracing } from '../../common/tracing.js';
import type { Topic } from '../../common/topic.js';
import { KeyedMutex } from '../../common/semaphore.js';
import { within } from '../../common/within.js';
import { traceCommands } from './command-spans.js';
import { commit, jitter, transactionCounts } from './commit.js';
import { OrphanedTransactions } from './orphaned-transactions.js';
import { Transaction, type TransactionCompletion, type TransactionHook } from './transaction.js';

const DEFAULT_TIMEOUT_MS = 10_000;
const ORPHANS_FROM_ATTEMPT = 3;
const MAX_WAITING_PER_ROW = 200;
/** The timeout of an abort. Without it an abort could wait for a lost server beyond the deadline of its transaction. */
const ABORT_TIMEOUT_MS = 500;

/** Access to the native driver for hot paths and transactions, over mongoose's connection. */
@Injectable()
export class MongoService {
  /** Thrown in place of each further transaction. */
  refusal: CodedError | undefined;
  /** No attempt and no commit is retried after this time. Tests raise it for a busy machine, also the wait for a row. */
  readonly limits = {
    timeoutMs: DEFAULT_TIMEOUT_MS,
    row: { waiting: MAX_WAITING_PER_ROW, waitMs: DEFAULT_TIMEOUT_MS },
  };
  readonly completion = {} as TransactionCompletion;
  private readonly hooks = new Map<string, TransactionHook<never>[]>();
  private readonly rowMutex = new KeyedMutex(this.limits.row);
  private readonly orphans = new OrphanedTransactions(() => this.db);
  private readonly commandTimeouts: CommandTimeouts;

  constructor(@InjectConnection() readonly connection: Connection) {
    this.client.on('commandFailed', decodeTopologyVersion);
    this.commandTimeouts = new CommandTimeouts(this.client);
    if (tracing.tracer !== undefined) traceCommands(this.client);
  }

  /** Registers what a module writes in the transactions of another one that call `tx.runHooks`. */
  hook<P>({ name }: Topic<P>, run: TransactionHook<P>): void {
    this.hooks.set(name, [...(this.hooks.get(name) ?? []), run]);
  }

  get client(): MongoClient {
    return this.connection.getClient();
  }

  get db(): Db {
    if (!this.connection.db)
      throw new CodedError('database_unavailable', 'There is no database connection.', { retryAfterSeconds: 1 });
    return this.connection.db;
  }

  /** Returns the collection of a schema or a name. Allocates a few objects, so hot paths should store the result. */
  collection<T extends Document>(of: Schema<T> | string): Collection<T> {
    return this.db.collection<T>(typeof of === 'string' ? of : of.get('collection')!);
  }

  /**
   * Runs `fn` in a transaction (majority, journaled), rolls back on an error and rethrows it. `fn` reruns after a conflict or failover, so
   * it must not have effects outside `tx`.
   * @throws CodedError after the timeout: `overloaded` after conflicts, `database_unavailable` after an outage or an unconfirmed commit
   */
  transaction<T>(
    fn: (tx: Transaction) => Promise<T> | T,
    { timeoutMs = this.limits.timeoutMs }: { timeoutMs?: number } = {},
  ): Promise<T> {
    if (this.refusal !== undefined) return Promise.reject(this.refusal);
    const deadline = performance.now() + timeoutMs;
    const { current: span } = tracing;
    return this.attempt(deadline, async () => {
      const session = this.client.startSession();
      const id = session.id?.id;
      const tx = new Transaction(session, this.db, this.completion, this.hooks);
      let work: Promise<T> | undefined;
      try {
        await this.commandTimeouts.wait(this.orphans.track(id), deadline);
        session.startTransaction({
          readConcern: { level: 'snapshot' },
          writeConcern: { w: 'majority', journal: true },
          readPreference: 'primary',
          maxCommitTimeMS: Math.max(1, Math.ceil(deadline - performance.now())),
        });
        if (span !== undefined) tx.trace(span);
        work = run(tx, fn);
        const result = await this.commandTimeouts.wait(work, deadline);
        await commit(() => this.commandTimeouts.wait(session.commitTransaction(), deadline), deadline);
        tx.committed();
        await session.endSession();
        return result;
      } catch (error) {
        tx.end();
        // The driver sends a command outside the transaction if an abort ends while the command waits for a connection. So the abort comes
        // after the last command.
        const abort = (): Promise<true> => this.abort(session);
        const aborting = work === undefined ? abort() : work.then(abort, abort);
        // A running attempt would conflict with the next one, so wait for the abort unless the server is lost.
        const isLost = isOutcomeUnknown(error);
        const leftMs = deadline - performance.now();
        const isAborted = await within(isLost ? Math.min(ABORT_TIMEOUT_MS, leftMs) : leftMs, aborting);
        // The driver marks a session as dirty only if its own command detected the lost connection.
        const { serverSession } = session;
        serverSession.isDirty ||= isAborted !== true || isLost;
        if (serverSession.isDirty) this.orphans.scheduleKill(id);
        void aborting.then(() => session.endSession());
        throw error;
      }
    });
  }

  /**
   * As `transaction`, but runs transactions that write the same `row` one at a time in this process, because concurrent ones would conflict
   * and retry.
   * @throws CodedError also `overloaded` when the queue is full or the wait too long
   */
  serializedTransaction<T>(row: string, fn: (tx: Transaction) => Promise<T> | T): Promise<T> {
    return this.rowMutex.run(row, () => this.transaction(fn), contention);
  }

  private async abort(session: ClientSession): Promise<true> {
    if (session.inTransaction()) await session.abortTransaction().catch(() => {});
    return true;
  }

  private async attempt<T>(deadline: number, run: () => Promise<T>): Promise<T> {
    let hadConflict = false;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await run();
      } catch (error) {
        const isBroken = isConnectionLost(error);
        // After a lost connection, server selection may fail in the next attempt.
        if (attempt > 0 && error instanceof MongoServerSelectionError) throw unavailable(error);
        if (!isBroken && !hasLabel(error, 'TransientTransactionError')) throw error;
        if (!isBroken) transactionCounts.conflicts++;
        const backOffMs = jitter(attempt);
        hadConflict ||= !isBroken;
        // Conflicts prove that the database is available.
        if (performance.now() + backOffMs >= deadline) throw hadConflict ? contention(error) : unavailable(error);
        // An open transaction of a dead process may cause repeated conflicts.
        if (!isBroken && attempt >= ORPHANS_FROM_ATTEMPT) await this.orphans.killOrphans();
        await sleep(backOffMs);
      }
    }
  }
}

/**
 * Decodes `topologyVersion` before the driver reads the error of a raw command. The driver does not decode this field there, and its next
 * error handling would throw a TypeError.
 */
function decodeTopologyVersion({ failure }: CommandFailedEvent): void {
  const error = failure as Error & { topologyVersion?: unknown };
  if (error.topologyVersion instanceof Uint8Array) error.topologyVersion = BSON.deserialize(error.topologyVersion);
}

async function run<T>(tx: Transaction, fn: (tx: Transaction) => Promise<T> | T): Promise<T> {
  const result = await fn(tx);
  await tx.complete();
  return result;
}

function unavailable(cause: unknown): CodedError {
  const detail = 'The database does not respond. Nothing was stored.';
  return new CodedError('database_unavailable', detail, { retryAfterSeconds: 1, cause });
}

function contention(cause?: unknown): CodedError {
  return new CodedError('overloaded', 'Too many concurrent changes to the same resource.', {
    retryAfterSeconds: 1,
    cause,
  });
}

/** Returns false after a write conflict: the server has rolled back, and the session can be reused. */
function isOutcomeUnknown(error: unknown): boolean {
  const inner = error instanceof MongoBulkWriteError ? error.errorResponse : error;
  if (inner instanceof MongoServerError && inner.hasErrorLabel('TransientTransactionError')) return false;
  return isDatabaseOutage(error) || (error as { code?: unknown }).code === 'database_unavailable';
}

function hasLabel(error: unknown, label: string): error is MongoError {
  return error instanceof MongoError && error.hasErrorLabel(label);
}

/**
 * The driver labels a connection that broke during a command, but not one that broke while opening or whose pool was cleared; a bulk write
 * wraps any error. Nothing is committed before `commit`, so the function may rerun.
 */
function isConnectionLost(error: unknown): boolean {
  const inner = error instanceof MongoBulkWriteError ? error.errorResponse : error;
  return inner instanceof MongoNetworkError || isEndedSocket(inner);
}

/** A transaction waits this long after its deadline for a pending response. */
const FINAL_RESPONSE_MS = 500;
/** The driver fails all commands in flight within this time after it closes their connections. */
const FAILED_WITHIN_MS = 1_000;

/**
 * Adds timeouts to driver calls. A command sent on a closing connection never settles, because the driver waits for `drain` of a closed
 * socket; StuckConnectionMonitor then stops the process.
 */
class CommandTimeouts {
  private readonly cancelers = new Set<(reason: string) => void>();

  constructor(client: MongoClient) {
    client.on('connectionPoolCleared', () => {
      const before = [...this.cancelers];
      const fail = (): void => before.forEach((cancel) => cancel('its connection was closed'));
      setTimeout(fail, FAILED_WITHIN_MS).unref();
    });
  }

  /**
   * Rejects one second after connections were closed, or FINAL_RESPONSE_MS after the deadline. Does not cancel `work`.
   * @throws MongoNetworkTimeoutError
   */
  async wait<T>(work: Promise<T>, deadline: number): Promise<T> {
    let cancel: (reason: string) => void = () => {};
    const late = new Promise<never>((_resolve, reject) => {
      cancel = (reason) => reject(new MongoNetworkTimeoutError(`No response: ${reason}`));
    });
    const leftMs = Math.max(0, deadline - performance.now());
    const timer = setTimeout(() => cancel('the transaction timed out'), leftMs + FINAL_RESPONSE_MS);
    this.cancelers.add(cancel);
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
      this.cancelers.delete(cancel);
    }
  }
}
