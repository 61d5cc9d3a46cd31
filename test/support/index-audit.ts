import type { DocumentKind, IndexState, PostDocument, ScanStep, UserDocument } from '../search-index.js';
import { type Database, isDamage, openExisting } from './database.js';
import { postDigest, userDigest } from './document-text.js';
import { TEXT_TABLES } from './entries.js';
import { stateOf } from './sqlite-writer.js';

/** Also beside its writer; null if there is no usable index. */
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

/** Compares the index with documents. */
export class SqliteAudit {
  private constructor(private readonly database: Database) {}

  /** Null if there is no usable index. */
  static open(path: string): SqliteAudit | null {
    const database = openExisting(path);
    return database === null ? null : new SqliteAudit(database);
  }

  /** Ids of the step whose document is missing in the index, differs, or exists only there. */
  differences(step: ScanStep): string[] {
    const { kind, after, upTo, documents } = step;
    const indexed = this.database.all<{ id: string }>(
      `SELECT id FROM ${kind} WHERE id > ? AND id <= ?`,
      ...[after ?? '', upTo ?? '~'],
    );
    const wanted = new Map(documents.map((document) => [document.id, document]));
    const ids = new Set([...indexed.map(({ id }) => id), ...wanted.keys()]);
    return [...ids].filter((id) => this.differs(kind, id, wanted.get(id)));
  }

  /** @param document undefined: the index should have none */
  differs(kind: DocumentKind, id: string, document: PostDocument | UserDocument | undefined): boolean {
    const indexed = this.database.get<{ digest: string }>(`SELECT digest FROM ${kind} WHERE id = ?`, id)?.digest;
    if (document === undefined) return indexed !== undefined;
    return indexed !== ('text' in document ? postDigest(document) : userDigest(document));
  }

  /** Texts and metadata are in two tables, which must have the same rows. */
  hasAllTexts(): boolean {
    const count = (table: string): number => this.database.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)!.n;
    const kinds = Object.entries(TEXT_TABLES);
    return kinds.every(([kind, tables]) => tables.every((table) => count(kind) === count(`${table}_docsize`)));
  }

  close(): void {
    this.database.close();
  }
}
