import { type ClientSession, type Db, type Document, MongoServerError, ObjectId } from 'mongodb';
import type { Topic } from '../../common/topic.js';
import type { Span } from '../../common/tracing.js';
import { traceSession } from './command-spans.js';
import { byIds, type UpdateStatement } from './update-statements.js';
import type { IdempotencyKey, NewEvent, NewResponse, NewTask, TaskOptions } from './transaction-rows.js';

type NamedCollection = { collectionName: string };
type WriteReply = { n: number; upserted?: { index: number }[]; writeErrors?: Document[] };

/** How other services of the platform complete a transaction. Each registers its part at start (MongoService.completion). */
export type TransactionCompletion = {
  /** InvalidationChannel */
  invalidate: (tags: string[], tx: Transaction) => void;
  /** WorkQueue */
  addTasks: (tasks: readonly NewTask[], tx: Transaction) => Promise<void>;
  /** EventPublisher */
  publish: (events: readonly NewEvent[], tx: Transaction) => Promise<void>;
  /** IdempotencyService */
  storeResponses: (responses: readonly NewResponse[], tx: Transaction) => Promise<void>;
};

/** What another module writes in a transaction. Runs in each attempt. */
export type TransactionHook<P> = (payload: P, tx: Transaction) => Promise<unknown>;

/**
 * One attempt of a transaction, with all that commits with it: what `fn` of MongoService.transaction writes, then the tasks, the events
 * and the responses that it added, in this order. The callbacks of `afterCommit` run after the commit. An attempt that fails leaves none of
 * these.
 *
 * `find` to `delete` are raw commands, because the driver's cursors and bulk operations cost two to four times as much
 * (docs/experiments.md). Concurrent ones run sequentially; after a failure the remaining ones are not sent.
 */
export class Transaction {
  /** the last raw command, which the next one waits for */
  private last: Promise<Document> | undefined;
  private readonly tasks: NewTask[] = [];
  private readonly events: NewEvent[] = [];
  private readonly responses: NewResponse[] = [];
  private readonly tags = new Set<string>();
  private readonly callbacks: (() => void)[] = [];
  private isOver = false;

  /** of its span, for what its tasks and facts cause */
  traceparent: string | undefined;

  constructor(
    private readonly ofDriver: ClientSession,
    private readonly db: Db,
    private readonly completion: TransactionCompletion,
    private readonly hooks: ReadonlyMap<string, TransactionHook<never>[]>,
  ) {}

  /** for calls of the driver and of mongoose. @throws Error after the attempt has failed */
  get session(): ClientSession {
    if (this.isOver) throw new Error('This transaction is over.');
    return this.ofDriver;
  }

  /** Makes the transaction part of a span, with its further commands. */
  trace(span: Span): void {
    this.traceparent = span.traceparent;
    traceSession(this.session, span);
  }

  /** Lets other modules write what follows from a change (MongoService.hook), one after another. */
  async runHooks<P>({ name }: Topic<P>, payload: P): Promise<void> {
    for (const run of this.hooks.get(name) ?? []) await run(payload as never, this);
  }

  /** @returns a reference to the task, which exists after the commit */
  addTask<P>(topic: Topic<P>, payload: P, options?: TaskOptions<P>): NewTask<P> {
    return this.addTasks(topic, [payload], options)[0]!;
  }

  addTasks<P>({ name: topic }: Topic<P>, payloads: readonly P[], options: TaskOptions<P> = {}): NewTask<P>[] {
    const tasks = payloads.map((payload) => ({ _id: new ObjectId(), topic, payload, options }));
    this.tasks.push(...(tasks as NewTask[]));
    return tasks;
  }

  /** Every process of every host receives the event after the commit (EventStream). The payload is plain data. */
  publish<P>({ name: topic }: Topic<P>, payload: P): NewEvent<P> {
    const event = { _id: new ObjectId(), topic, payload };
    this.events.push(event);
    return event;
  }

  /**
   * Removes all cached responses with one of the tags: in this process on commit, in other processes when they receive the event. A process
   * that misses the event stops serving the responses within 1.5 s.
   */
  invalidate(tags: Iterable<string>): void {
    for (const tag of tags) this.tags.add(tag);
  }

  /**
   * Stores the response for repetitions of its request, if that has a key. The attempt fails with `request_in_progress` if an equal
   * request is running.
   */
  storeResponse(key: IdempotencyKey | undefined, response: NewResponse['response']): void {
    if (key !== undefined) this.responses.push({ key, response });
  }

  afterCommit(callback: () => void): void {
    this.callbacks.push(callback);
  }

  /** Returns at most `count` rows. Throws if the rows do not fit into one 16 MB reply. */
  async find<Row extends Document>(
    { collectionName }: NamedCollection,
    filter: Document,
    projection: Document,
    count: number,
  ): Promise<Row[]> {
    const command = { find: collectionName, filter, projection, limit: count, batchSize: count };
    const { cursor } = (await this.send(command)) as { cursor: { id: unknown; firstBatch: Row[] } };
    // The cursor stays open only if rows are larger than any schema allows.
    if (Number(cursor.id) !== 0) throw new Error(`${collectionName}: ${count} rows do not fit into one reply`);
    return cursor.firstBatch;
  }

  async insert({ collectionName }: NamedCollection, documents: Document[]): Promise<void> {
    if (documents.length > 0) await this.write({ insert: collectionName, documents, ordered: false });
  }

  /** Inserts the documents whose primary key does not exist. Returns their indexes in `documents`, ascending. */
  async insertMissing({ collectionName }: NamedCollection, documents: Document[]): Promise<number[]> {
    if (documents.length === 0) return [];
    const updates = documents.map(({ _id, ...fields }): UpdateStatement => {
      return { q: { _id: _id as unknown }, u: { $setOnInsert: fields }, upsert: true };
    });
    const { upserted = [] } = await this.write({ update: collectionName, updates, ordered: false });
    return upserted.map(({ index }) => index);
  }

  /** Returns the number of matched rows. */
  async update({ collectionName }: NamedCollection, updates: UpdateStatement[]): Promise<number> {
    if (updates.length === 0) return 0;
    return (await this.write({ update: collectionName, updates, ordered: false })).n;
  }

  /** Deletes the rows with these primary keys. */
  async delete({ collectionName }: NamedCollection, ids: readonly unknown[]): Promise<void> {
    if (ids.length === 0) return;
    const deletes = [{ q: byIds(ids), limit: 0 }];
    await this.write({ delete: collectionName, deletes, ordered: false });
  }

  /** MongoService calls this before the commit. */
  async complete(): Promise<void> {
    const { completion, tags, tasks, events, responses } = this;
    if (tags.size > 0) completion.invalidate([...tags], this);
    if (tasks.length > 0) await completion.addTasks(tasks, this);
    if (events.length > 0) await completion.publish(events, this);
    if (responses.length > 0) await completion.storeResponses(responses, this);
  }

  /** MongoService calls this after the commit. */
  committed(): void {
    for (const callback of this.callbacks) callback();
  }

  /** MongoService calls this after a failure. Nothing can be sent after it. */
  end(): void {
    this.isOver = true;
  }

  private send(command: Document): Promise<Document> {
    const run = async (): Promise<Document> => this.db.command(command, { session: this.session });
    return (this.last = this.last?.then(run) ?? run());
  }

  private async write(command: Document): Promise<WriteReply> {
    const reply = (await this.send(command)) as WriteReply;
    const first = reply.writeErrors?.[0];
    if (first !== undefined) throw new MongoServerError({ ...first, message: String(first.errmsg) });
    return reply;
  }
}
