import { existsSync, statSync } from 'node:fs';
import {
  type Changes,
  DOCUMENT_KINDS,
  FIRST_STEP,
  IndexLocked,
  IndexLost,
  type IndexState,
  type Position,
  type Scan,
  type ScanStep,
  type Unreadable,
  nextWalk,
} from '../search-index.js';
import { Database, isDamage, openExisting, deleteDatabase, stateOf } from './database.js';
import { Dictionary } from './dictionary.js';
import { putAll, deleteAll, TEXT_TABLES } from './entries.js';

/** how often an idle index stores its position; limits needless writes */
const MOVE_EVERY_MS = 5_000;

const MAX_UNREADABLE = 1_000;

/** Writes the index: IndexWriter, but synchronous, so it runs in its own thread. Each call is one atomic transaction. */
export class SqliteWriter {
  private database: Database | undefined;
  private lock: Database | undefined;
  private file = 0;
  private movedAt = -Infinity;
  /** reasons by id */
  private unreadable = new Map<string, string>();
  private readonly onUnreadable = (id: string, error: unknown): void => {
    if (this.unreadable.size < MAX_UNREADABLE) this.unreadable.set(id, (error as Error).message);
  };

  constructor(private readonly path: string) {}

  /** @throws IndexLocked */
  open(): IndexState {
    this.lock ??= acquireLock(`${this.path}.lock`);
    const existing = usable(this.path);
    return existing === null ? this.reset() : this.use(existing);
  }

  reset(): IndexState {
    this.database?.close();
    deleteDatabase(this.path);
    const fresh = Database.open(this.path);
    fresh.createTables();
    return this.use(fresh);
  }

  apply(changes: Changes, position: Position | null): number {
    return this.write((database, dictionary) => {
      let changed = 0;
      for (const kind of DOCUMENT_KINDS) {
        const { ids, documents } = changes[kind];
        changed += putAll(database, dictionary, kind, documents, this.onUnreadable);
        changed += deleteAll(database, dictionary, kind, without(ids, documents));
      }
      if (position !== null) database.setMeta('position', position);
      return changed;
    });
  }

  moveTo(position: Position): void {
    const now = performance.now();
    // `current` still detects a deleted file.
    if (now - this.movedAt < MOVE_EVERY_MS) return void this.current();
    this.write((database) => database.setMeta('position', position));
    this.movedAt = now;
  }

  startScan(position: Position): Scan {
    const scan: Scan = { ...FIRST_STEP, done: 0 };
    this.write((database) => {
      database.setMeta('position', position);
      database.setMeta('scan', scan);
    });
    return scan;
  }

  applyScan(step: ScanStep): { scan: Scan | null; changed: number } {
    const { kind, after, upTo, documents } = step;
    const result = this.write((database, dictionary) => {
      const known = database.all<{ id: string }>(
        `SELECT id FROM ${kind} WHERE id > ? AND id <= ?`,
        after ?? '',
        upTo ?? '~',
      );
      const gone = without(
        known.map(({ id }) => id),
        documents,
      );
      const put = putAll(database, dictionary, kind, documents, this.onUnreadable);
      const changed = put + deleteAll(database, dictionary, kind, gone);
      const done = (database.meta<Scan>('scan')?.done ?? 0) + documents.length;
      const walk = nextWalk(step);
      const scan = walk === null ? null : { ...walk, done };
      database.setMeta('scan', scan);
      return { scan, changed };
    });
    if (result.scan === null) this.finishScan();
    return result;
  }

  state(): IndexState {
    return stateOf(this.current());
  }

  takeUnreadable(): Unreadable {
    const taken = [...this.unreadable];
    this.unreadable = new Map();
    return taken;
  }

  close(): void {
    this.database?.close();
    this.lock?.close();
    this.database = this.lock = undefined;
  }

  /** Merges the segments of each index into one after the first scan only, because later scans find few differences. */
  private finishScan(): void {
    this.write((database) => {
      if (database.meta<boolean>('ready') === true) return;
      for (const table of Object.values(TEXT_TABLES).flat())
        database.exec(`INSERT INTO ${table}(${table}) VALUES ('optimize')`);
      database.setMeta('ready', true);
    });
  }

  private use(database: Database): IndexState {
    this.database = database;
    this.file = statSync(this.path).ino;
    this.movedAt = -Infinity;
    // SQLite syncs the journal only when writing it back. The limit bounds the length of the journal.
    database.all('PRAGMA synchronous = NORMAL');
    database.all('PRAGMA journal_size_limit = 67108864');
    database.all('PRAGMA cache_size = -32768');
    return stateOf(database);
  }

  private current(): Database {
    if (this.database === undefined || !existsSync(this.path) || statSync(this.path).ino !== this.file)
      throw new IndexLost('the index file is not there any more');
    return this.database;
  }

  private write<T>(work: (database: Database, dictionary: Dictionary) => T): T {
    const database = this.current();
    try {
      return database.transaction('IMMEDIATE', () => {
        const dictionary = new Dictionary(database);
        const result = work(database, dictionary);
        dictionary.write();
        return result;
      });
    } catch (error) {
      if (isDamage(error)) throw new IndexLost(`the index file is damaged: ${String(error)}`);
      throw error;
    }
  }
}

function usable(path: string): Database | null {
  try {
    return openExisting(path);
  } catch (error) {
    if (isDamage(error)) return null;
    throw error;
  }
}

/** Locks a file beside the index through SQLite. The lock ends with the process. */
function acquireLock(path: string): Database {
  const lock = Database.open(path);
  try {
    lock.all('PRAGMA busy_timeout = 0');
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    throw new IndexLocked(`another process writes the index: ${String(error)}`);
  }
}

function without(ids: readonly string[], documents: readonly { id: string }[]): string[] {
  const there = new Set(documents.map(({ id }) => id));
  return ids.filter((id) => !there.has(id));
}
