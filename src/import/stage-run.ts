import { hash } from 'node:crypto';
import { BSON, type Collection, ObjectId } from 'mongodb';
import { StartupError } from '../common/errors.js';
import { OPENCANVAS_IMPORT } from '../platform/mongo/indexes/index-check.js';
import type { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { POST_HIDDEN, POST_LISTED } from '../posts/posts.events.js';
import { AUTHOR_CHANGED } from '../users/users.events.js';
import { type ImportRow, ImportRowSchema, type ImportState, ImportStateSchema } from './import.schema.js';
import { addReport, emptyReport, note, type StageReport } from './report.js';
import type { SourceRow } from './source.js';
import { Batch, type Context, type Stage } from './stage.js';

/** A batch of long posts can take seconds on a busy machine. */
const TRANSACTION_MS = 50_000;

const LAST_ID = new ObjectId('ffffffffffffffffffffffff');

export type StageOptions = {
  context: Context;
  state: ImportState;
  /** read only source rows created or changed since this time */
  since: Date | null;
  signal: AbortSignal;
  onBatch: (rows: number) => void;
};

/** A planned batch, and the hashes of its source rows by hex id. */
type Prepared = { batch: Batch; hashes: ReadonlyMap<string, string>; lastId: ObjectId };

/**
 * Runs one stage from its checkpoint. The rows of a batch, their hashes, the checkpoint and the report commit together, so an interrupted
 * import resumes without duplicates. The next batch is prepared while one is stored.
 */
export class StageRun {
  private readonly rows: Collection<ImportRow>;
  private readonly states: Collection<ImportState>;

  constructor(
    private readonly mongo: MongoService,
    private readonly stage: Stage,
    private readonly options: StageOptions,
  ) {
    this.rows = mongo.collection(ImportRowSchema);
    this.states = mongo.collection(ImportStateSchema);
  }

  /** @param next the name of the stage after this one */
  async run(next: string): Promise<void> {
    const { stage, options } = this;
    const { context, state, since, signal, onBatch } = options;
    const report = (state.report[stage.name] ??= emptyReport());
    if (state.lastId === null && stage.filter === undefined)
      await context.source.noteOtherIds(stage.collection, report);
    for await (const prepared of oneAhead(this.prepare(state.lastId))) {
      signal.throwIfAborted();
      const { batch, lastId } = prepared;
      await batch.secondStep?.();
      addReport(report, batch.report);
      const from = state.lastId;
      state.lastId = lastId;
      if (context.isDryRun) context.targets.recordDryRun(batch.inserts);
      else await this.store(prepared, from);
      onBatch(batch.report.read);
    }
    if (since === null) reportDeleted(await this.findImported(state.lastId, LAST_ID), [], report);
    state.stage = next;
    state.lastId = null;
    if (!context.isDryRun) await this.states.updateOne({ _id: OPENCANVAS_IMPORT }, { $set: checkpointOf(state) });
  }

  /** Reads and plans batches, apart from their second steps. */
  private async *prepare(after: ObjectId | null): AsyncGenerator<Prepared> {
    const { stage, options } = this;
    const { context, since } = options;
    const projection = Object.fromEntries(stage.fields.map((field) => [field, 1 as const]));
    const read = { collection: stage.collection, filter: filterOf(stage, since), projection };
    let from = after;
    for await (const rows of context.source.batches(read, after)) {
      const lastId = rows.at(-1)!._id;
      const before = await this.findImported(from, lastId);
      from = lastId;
      const batch = new Batch(before);
      if (since === null) reportDeleted(before, rows, batch.report);
      const hashes = new Map(rows.map((row) => [row._id.toHexString(), this.hashOf(row)]));
      const fresh = rows.filter(({ _id }) => before.get(_id.toHexString())?.hash !== hashes.get(_id.toHexString()));
      batch.report.read = rows.length;
      batch.report.unchanged = rows.length - fresh.length;
      await stage.plan(fresh, batch, context);
      yield { batch, hashes, lastId };
    }
  }

  private async findImported(after: ObjectId | null, upTo: ObjectId): Promise<Map<string, ImportRow>> {
    const key = (id: string): string => `${this.stage.name}:${id}`;
    const range = { $gt: key(after?.toHexString() ?? ''), $lte: key(upTo.toHexString()) };
    const rows = await this.rows.find({ _id: range }).toArray();
    return new Map(rows.map((row) => [row._id.slice(row._id.indexOf(':') + 1), row]));
  }

  /** @param from checkpoint before the batch. Throws if the stored checkpoint differs, because another import is running. */
  private store({ batch, hashes }: Prepared, from: ObjectId | null): Promise<void> {
    const { mongo, stage, options } = this;
    for (const [id, taken] of batch.imported) {
      const _id = `${stage.name}:${id}`;
      if (batch.before.has(id)) batch.delete(this.rows.collectionName, _id);
      batch.insert(this.rows.collectionName, { _id, hash: hashes.get(id), ...taken });
    }
    const store = async (tx: Transaction): Promise<void> => {
      for (const [name, ids] of batch.deletions) await tx.delete({ collectionName: name }, ids);
      for (const [name, rows] of batch.inserts) await tx.insert({ collectionName: name }, rows);
      for (const [name, statements] of batch.updates) await tx.update({ collectionName: name }, statements);
      tx.addTasks(AUTHOR_CHANGED, batch.changedAuthors);
      tx.addTasks(POST_LISTED, batch.listed);
      tx.addTasks(POST_HIDDEN, batch.hidden);
      const checkpoint = {
        q: { _id: OPENCANVAS_IMPORT, stage: stage.name, lastId: from },
        u: { $set: checkpointOf(options.state) },
      };
      if ((await tx.update(this.states, [checkpoint])) === 0)
        throw new StartupError('Another import into this database is running.');
    };
    return mongo.transaction(store, { timeoutMs: TRANSACTION_MS });
  }

  private hashOf(row: SourceRow): string {
    const { unhashed = [] } = this.stage;
    const kept = Object.fromEntries(Object.entries(row).filter(([field]) => !unhashed.includes(field)));
    return hash('sha1', BSON.serialize(kept), 'base64').slice(0, 20);
  }
}

function checkpointOf({ stage, lastId, report }: ImportState): Pick<ImportState, 'stage' | 'lastId' | 'report'> {
  return { stage, lastId, report };
}

function filterOf({ filter = {} }: Stage, since: Date | null): object {
  if (since === null) return filter;
  const later = { $gte: since };
  return { $and: [filter, { $or: [{ createdAt: later }, { updatedAt: later }, { since: later }] }] };
}

/** Reports imported rows that the source has deleted. They are not deleted here. */
function reportDeleted(before: ReadonlyMap<string, ImportRow>, rows: SourceRow[], report: StageReport): void {
  if (before.size === 0) return;
  const present = new Set(rows.map(({ _id }) => _id.toHexString()));
  for (const id of before.keys()) if (!present.has(id)) note(report.skipped, 'deleted there since, kept here', id);
}

/** Requests the next item while the caller uses the current one. */
async function* oneAhead<T>(items: AsyncGenerator<T>): AsyncGenerator<T> {
  const request = (): Promise<IteratorResult<T>> => {
    const next = items.next();
    // Avoids an unhandled rejection if the caller throws before it awaits the item.
    next.catch(() => undefined);
    return next;
  };
  try {
    let next = request();
    for (let item = await next; item.done !== true; item = await next) {
      next = request();
      yield item.value;
    }
  } finally {
    await items.return(undefined);
  }
}
