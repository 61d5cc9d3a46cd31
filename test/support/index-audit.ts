import type { DocumentKind, Documents, ScanStep } from '../../src/search/search-index.js';
import { type Database, openExisting } from '../../src/search/sqlite/database.js';
import { commentText, postDigest, userDigest } from '../../src/search/document-text.js';
import { TEXT_TABLES } from '../../src/search/sqlite/entries.js';

/** Compares the search index with documents. */
export class IndexAudit {
  private constructor(private readonly database: Database) {}

  /** Returns null if there is no usable index. */
  static open(path: string): IndexAudit | null {
    const database = openExisting(path);
    return database === null ? null : new IndexAudit(database);
  }

  /** Returns ids of the step whose document is missing in the index, differs, or exists only there. */
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

  /** @param document undefined if the index should have none */
  differs(kind: DocumentKind, id: string, document: Documents[DocumentKind] | undefined): boolean {
    const indexed = this.database.get<{ digest: string }>(`SELECT digest FROM ${kind} WHERE id = ?`, id)?.digest;
    if (document === undefined) return indexed !== undefined;
    if ('content' in document) return indexed !== commentText(document).digest;
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
