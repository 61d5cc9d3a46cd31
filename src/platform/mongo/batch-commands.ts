import { type ClientSession, type Db, type Document, MongoServerError, ObjectId } from 'mongodb';

/** One statement of an `update` command. */
export type UpdateStatement = {
  q: Document;
  u: Document | Document[];
  multi?: boolean;
  upsert?: boolean;
  hint?: Document;
};

type NamedCollection = { collectionName: string };
type WriteReply = { n: number; upserted?: { index: number }[]; writeErrors?: Document[] };

/**
 * Runs raw commands inside a transaction, because the driver's cursors and bulk operations cost two to four times as much
 * (docs/experiments.md). Concurrent commands run sequentially; after a failure the remaining ones are not sent.
 * @throws MongoServerError
 */
export class BatchCommands {
  /** the last command of each transaction, which the next command waits for */
  private readonly last = new WeakMap<ClientSession, Promise<Document>>();

  constructor(private readonly db: () => Db) {}

  /** Returns at most `count` rows. Throws if the rows do not fit into one 16 MB reply. */
  async find<Row extends Document>(
    { collectionName }: NamedCollection,
    filter: Document,
    projection: Document,
    count: number,
    session: ClientSession,
  ): Promise<Row[]> {
    const command = { find: collectionName, filter, projection, limit: count, batchSize: count };
    const { cursor } = (await this.send(command, session)) as {
      cursor: { id: unknown; firstBatch: Row[] };
    };
    // The cursor stays open only if rows are larger than any schema allows.
    if (Number(cursor.id) !== 0) throw new Error(`${collectionName}: ${count} rows do not fit into one reply`);
    return cursor.firstBatch;
  }

  async insert({ collectionName }: NamedCollection, documents: Document[], session: ClientSession): Promise<void> {
    if (documents.length > 0) await this.write({ insert: collectionName, documents, ordered: false }, session);
  }

  /** Inserts the documents whose primary key does not exist. Returns their indexes in `documents`, ascending. */
  async insertMissing(
    { collectionName }: NamedCollection,
    documents: Document[],
    session: ClientSession,
  ): Promise<number[]> {
    if (documents.length === 0) return [];
    const updates = documents.map(({ _id, ...fields }): UpdateStatement => {
      return { q: { _id: _id as unknown }, u: { $setOnInsert: fields }, upsert: true };
    });
    const { upserted = [] } = await this.write({ update: collectionName, updates, ordered: false }, session);
    return upserted.map(({ index }) => index);
  }

  /** Returns the number of matched rows. */
  async update(
    { collectionName }: NamedCollection,
    updates: UpdateStatement[],
    session: ClientSession,
  ): Promise<number> {
    if (updates.length === 0) return 0;
    return (await this.write({ update: collectionName, updates, ordered: false }, session)).n;
  }

  /** Deletes the rows with these primary keys. */
  async delete({ collectionName }: NamedCollection, ids: readonly unknown[], session: ClientSession): Promise<void> {
    if (ids.length === 0) return;
    const deletes = [{ q: byIds(ids), limit: 0 }];
    await this.write({ delete: collectionName, deletes, ordered: false }, session);
  }

  private send(command: Document, session: ClientSession): Promise<Document> {
    // A late command of an aborted attempt would be written outside any transaction.
    if (!session.inTransaction()) return Promise.reject(new Error('This transaction is over.'));
    const run = (): Promise<Document> => this.db().command(command, { session });
    const sent = this.last.get(session)?.then(run) ?? run();
    this.last.set(session, sent);
    const settled = (): void => {
      if (this.last.get(session) === sent) this.last.delete(session);
    };
    sent.then(settled, settled);
    return sent;
  }

  private async write(command: Document, session: ClientSession): Promise<WriteReply> {
    const reply = (await this.send(command, session)) as WriteReply;
    const first = reply.writeErrors?.[0];
    if (first !== undefined) throw new MongoServerError({ ...first, message: String(first.errmsg) });
    return reply;
  }
}

/** Filters by primary keys. A single id avoids `$in`, because the server has a fast path for an equality. */
export function byIds(ids: readonly unknown[]): Document {
  return { _id: ids.length === 1 ? ids[0] : { $in: ids } };
}

/**
 * Returns statements that add differences to counters (keyed by hex id). Rows with equal changes share a statement; zero changes are
 * omitted.
 */
export function statsStatements<Counter extends string>(
  changes: ReadonlyMap<string, Partial<Record<Counter, number>>>,
  counters: readonly Counter[],
  update: (moved: Partial<Record<Counter, number>>) => Document | Document[] = increment,
): UpdateStatement[] {
  const groups = new Map<string, { ids: ObjectId[]; moved: Partial<Record<Counter, number>> }>();
  for (const [hex, change] of changes) {
    let key = '';
    const moved: Partial<Record<Counter, number>> = {};
    for (const counter of counters) {
      const difference = change[counter] ?? 0;
      if (difference === 0) continue;
      moved[counter] = difference;
      key += `${counter} ${difference} `;
    }
    if (key === '') continue;
    const id = ObjectId.createFromHexString(hex);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { ids: [id], moved });
    else group.ids.push(id);
  }
  return [...groups.values()].map(({ ids, moved }) => ({ q: byIds(ids), u: update(moved), multi: ids.length > 1 }));
}

/** Returns `{ $inc: { 'stats.<counter>': difference } }`. */
export function increment(moved: Partial<Record<string, number>>): Document {
  const $inc: Document = {};
  for (const counter in moved) $inc[`stats.${counter}`] = moved[counter];
  return { $inc };
}
