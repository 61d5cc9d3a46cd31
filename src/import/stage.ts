import type { Document, ObjectId } from 'mongodb';
import type { UpdateStatement } from '../platform/mongo/update-statements.js';
import type { ImportRow } from './import.schema.js';
import type { TargetLookup } from './target-lookup.js';
import { emptyReport, note, type StageReport } from './report.js';
import type { Source, SourceRow } from './source.js';

export type Context = {
  source: Source;
  targets: TargetLookup;
  /** start of the run, at which imported times are capped */
  now: Date;
  trustsUpdatedAt: boolean;
  isDryRun: boolean;
};

/** One pass over a source collection. */
export type Stage = {
  /** used in the report and in the keys of `import_rows` */
  name: string;
  collection: string;
  filter?: Document;
  /** the source fields to read */
  fields: readonly string[];
  /** fields whose change alone does not cause a new import of the row */
  unhashed?: readonly string[];
  plan(rows: SourceRow[], batch: Batch, context: Context): Promise<void>;
};

type ImportedFields = Pick<ImportRow, 'updatedAt' | 'audience'>;

/** The planned writes of a batch. `StageRun` stores them: removals, then inserts, which cost the server less than upserts, then updates. */
export class Batch {
  readonly report: StageReport = emptyReport();
  readonly imported = new Map<string, ImportedFields>();
  readonly deletions = new Map<string, unknown[]>();
  readonly inserts = new Map<string, Document[]>();
  readonly updates = new Map<string, UpdateStatement[]>();
  /** accounts whose embedded copies in posts and comments are stale */
  readonly changedAuthors: ObjectId[] = [];
  readonly listed: ObjectId[] = [];
  readonly hidden: ObjectId[] = [];
  /** part of the plan that looks up rows of the previous batch; runs after that batch was stored */
  secondStep: (() => Promise<void>) | undefined;

  /** @param before rows of earlier imports, by hex id */
  constructor(readonly before: ReadonlyMap<string, ImportRow>) {}

  skip({ _id }: { _id: ObjectId }, reason: string): void {
    note(this.report.skipped, reason, _id.toHexString());
  }

  change({ _id }: { _id: ObjectId }, reason: string, count = 1): void {
    note(this.report.changed, reason, _id.toHexString(), count);
  }

  markImported({ _id }: { _id: ObjectId }, taken: ImportedFields = {}): void {
    this.report.taken++;
    this.imported.set(_id.toHexString(), taken);
  }

  delete(collection: string, ...ids: unknown[]): void {
    append(this.deletions, collection, ids);
  }

  /** @param rows that do not exist, or that the batch removes */
  insert(collection: string, ...rows: Document[]): void {
    append(this.inserts, collection, rows);
  }

  update(collection: string, statement: UpdateStatement): void {
    append(this.updates, collection, [statement]);
  }

  /**
   * Whether the import may overwrite the target row. Returns false, and reports the reason, if another source created the row or it has
   * been edited or deleted here since its import.
   */
  mayWrite(row: SourceRow, existing: { updatedAt: Date; deletedAt: Date | null } | undefined): boolean {
    const earlier = this.before.get(row._id.toHexString());
    if (existing === undefined && earlier === undefined) return true;
    if (earlier === undefined) this.skip(row, 'a row with its id was here already');
    else if (existing === undefined || existing.deletedAt !== null) this.skip(row, 'changed there, deleted here');
    else if (existing.updatedAt.getTime() !== earlier.updatedAt?.getTime()) this.skip(row, 'changed there and here');
    else return true;
    return false;
  }
}

function append<T>(lists: Map<string, T[]>, key: string, items: T[]): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, items);
  else list.push(...items);
}
