import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite';
import type { DocumentKind, IndexState, Position, Scan } from '../search-index.js';

/** Keys are bigint, because numbers may be bound as REAL. */
type Value = string | bigint | number | null;

/** A change of this value rebuilds the index. Words are split by the tables of this Unicode version. */
export const FORMAT = `11, Unicode ${process.versions.unicode}`;

/**
 * Columns of a post with their weights; filters only narrow a query. Title words are in both tables, because counting all occurrences of a
 * word in texts, as BM25 does, costs more than counting its titles.
 */
export const POST_WEIGHTS = {
  /** title, tags, filters */
  posts_titles: '8.0, 6.0, 0.0',
  /** title, tags, headings, body, filters */
  posts_text: '8.0, 6.0, 3.0, 1.0, 0.0',
} as const;
export type PostTable = keyof typeof POST_WEIGHTS;
/** As POST_WEIGHTS, with a weight for tags, which `similar` finds as filters. */
export const SIMILAR_WEIGHTS = '8.0, 6.0, 3.0, 1.0, 3.0';

// The text is already split: `ascii` splits at spaces, and preserves every other letter.
const TEXT_OPTIONS = `content = '', contentless_delete = 1, tokenize = 'ascii'`;
const TABLES = `
CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
-- words: those of title and tags, to take them out of the dictionary again; terms: the most frequent words with their counts
CREATE TABLE posts(key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, type TEXT NOT NULL, digest TEXT NOT NULL, words TEXT NOT NULL, tags TEXT NOT NULL, terms TEXT NOT NULL);
CREATE VIRTUAL TABLE posts_text USING fts5(title, tags, headings, body, filters, ${TEXT_OPTIONS}, prefix = '2 3');
CREATE VIRTUAL TABLE posts_titles USING fts5(title, tags, filters, ${TEXT_OPTIONS}, prefix = '2 3');
CREATE VIRTUAL TABLE posts_vocabulary USING fts5vocab(posts_text, row);
CREATE TABLE users(key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, username TEXT NOT NULL, digest TEXT NOT NULL, words TEXT NOT NULL);
CREATE INDEX users_by_username ON users(username);
CREATE VIRTUAL TABLE users_text USING fts5(name, headline, ${TEXT_OPTIONS}, prefix = '1 2 3');
CREATE TABLE comments(key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, digest TEXT NOT NULL, words TEXT NOT NULL);
CREATE VIRTUAL TABLE comments_text USING fts5(content, ${TEXT_OPTIONS}, prefix = '2 3');
-- the dictionary: words of titles, tags and display names, and each without one of its letters
CREATE TABLE words(word TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE rests(rest TEXT NOT NULL, word TEXT NOT NULL, PRIMARY KEY(rest, word)) WITHOUT ROWID;
CREATE TABLE tags(tag TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE tag_words(word TEXT NOT NULL, tag TEXT NOT NULL, PRIMARY KEY(word, tag)) WITHOUT ROWID;
`;

/** A connection with its prepared statements. */
export class Database {
  private readonly statements = new Map<string, StatementSyncInstance>();

  private constructor(private readonly native: DatabaseSyncInstance) {}

  static open(path: string): Database {
    mkdirSync(dirname(path), { recursive: true });
    const database = new Database(new DatabaseSync(path));
    database.all('PRAGMA busy_timeout = 10000');
    return database;
  }

  run(sql: string, ...values: Value[]): void {
    this.prepare(sql).run(...values);
  }

  get<Row>(sql: string, ...values: Value[]): Row | undefined {
    return this.prepare(sql).get(...values) as Row | undefined;
  }

  all<Row>(sql: string, ...values: Value[]): Row[] {
    return this.prepare(sql).all(...values) as Row[];
  }

  exec(sql: string): void {
    this.native.exec(sql);
  }

  /** Runs `work` in one snapshot. Writes are atomic. */
  transaction<T>(mode: 'DEFERRED' | 'IMMEDIATE', work: () => T): T {
    this.exec(`BEGIN ${mode}`);
    try {
      const result = work();
      this.exec('COMMIT');
      return result;
    } catch (error) {
      try {
        this.exec('ROLLBACK');
      } catch {
        // The first error has already ended the transaction.
      }
      throw error;
    }
  }

  createTables(): void {
    this.all('PRAGMA journal_mode = WAL');
    this.transaction('IMMEDIATE', () => {
      this.exec(TABLES);
      this.setMeta('format', FORMAT);
    });
  }

  meta<T>(name: string): T | null {
    const row = this.get<{ value: string }>('SELECT value FROM meta WHERE name = ?', name);
    return row === undefined ? null : (JSON.parse(row.value) as T);
  }

  setMeta(name: string, value: unknown): void {
    this.run('INSERT OR REPLACE INTO meta(name, value) VALUES (?, ?)', name, JSON.stringify(value));
  }

  close(): void {
    this.statements.clear();
    this.native.close();
  }

  private prepare(sql: string): StatementSyncInstance {
    let statement = this.statements.get(sql);
    if (statement === undefined) this.statements.set(sql, (statement = this.native.prepare(sql)));
    return statement;
  }
}

/** Deletes the file and the files that SQLite creates beside it. */
export function deleteDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(path + suffix, { force: true });
}

/** Returns null if there is no index of this format. @throws an error for which `isDamage` returns true */
export function openExisting(path: string): Database | null {
  if (!existsSync(path)) return null;
  const database = Database.open(path);
  try {
    if (database.meta<string>('format') === FORMAT) return database;
  } catch (error) {
    if (isDamage(error)) {
      database.close();
      throw error;
    }
    // The file is still empty.
  }
  database.close();
  return null;
}

/** Whether an error means that the file is unusable. */
export function isDamage(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return /SQLITE_(CORRUPT|NOTADB)|malformed|not a database/.test(`${String(code)} ${String(message)}`);
}

/** Returns the state that an open index contains. */
export function stateOf(database: Database): IndexState {
  const count = (table: DocumentKind): number => database.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)!.n;
  return {
    isReady: database.meta<boolean>('ready') ?? false,
    position: database.meta<Position>('position'),
    scan: database.meta<Scan>('scan'),
    documents: { posts: count('posts'), users: count('users'), comments: count('comments') },
  };
}

/** Returns the state of the index in this file, even while another process writes the file; null if there is no usable index. */
export function readState(path: string): IndexState | null {
  let database: Database | null = null;
  try {
    database = openExisting(path);
    return database === null ? null : stateOf(database);
  } catch (error) {
    if (isDamage(error)) return null;
    throw error;
  } finally {
    database?.close();
  }
}
