import type { Type } from '@nestjs/common';
import type { AnyBulkWriteOperation, Document, Filter, ObjectId } from 'mongodb';

/** Returns a service of the application. */
export type GetService = <T>(type: Type<T>) => T;

/**
 * One change of stored data. It names collections and fields by text, because the schemas of the application change later.
 * `src/migrations` has one file for each.
 */
export type Migration = {
  /** the format of the data afterwards */
  number: number;
  name: string;
  /** what changes, in one sentence for operators */
  summary: string;
  /**
   * Format of the oldest program that may serve the data afterwards. Equal to `number`: all servers must be stopped. Lower: servers of that
   * format keep serving, so the change must not be visible to them.
   */
  oldestProgram: number;
  steps: (get: GetService) => Step[];
  /** collections that no version uses afterwards */
  drops?: string[];
};

export type Row = Record<string, unknown> & { _id: ObjectId };

/** A change of the rows of one collection, in batches in the order of their ids. */
export type Step = {
  collection: string;
  /** Selects the rows that lack the change, so that an interrupted step continues with the rest. */
  pending: Filter<Document>;
  /** the collection of the writes; default: the same */
  into?: string;
  /** Returns the writes for a batch. They may run twice, and must keep an edit of the row since it was read. */
  change: (rows: Row[]) => AnyBulkWriteOperation<Document>[] | Promise<AnyBulkWriteOperation<Document>[]>;
};

/** A row of `migrations`: a migration that was run on the database. */
export type MigrationRecord = {
  _id: number;
  name: string;
  version: string;
  /** changed rows, without those of interrupted runs */
  rows: number;
  durationMs: number;
  endedAt: Date;
};
