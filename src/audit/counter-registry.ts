import { Injectable } from '@nestjs/common';
import type { Db, Document, ObjectId } from 'mongodb';
import type { ReadOptions } from '../platform/mongo/lean-reads.js';

/** The holders to count: one, or those from `$gt` (exclusive) to `$lte` (inclusive), by _id. */
export type OwnerRange = { $eq: ObjectId } | { $gt: ObjectId; $lte: ObjectId };

/** The database to read, and the transaction. */
export type Snapshot = { db: Db; session?: ReadOptions['session'] };

/** Rows of one collection behind some counters, grouped by holder. Several sources of one counter are added up. */
export type CounterSource = {
  collection: string;
  /** counters of this source; a holder without rows counts 0 */
  counters: readonly string[];
  /** returns `{ _id: holder, …counters }`; must be served by an index on the holder */
  pipeline(holders: OwnerRange, snapshot: Snapshot): Document[] | Promise<Document[]>;
};

/** A collection whose documents carry counters. */
export type CountedCollection = {
  name: string;
  /** position in the audit; a collection computed from another one has a higher position */
  order: number;
  /** holders to audit; the rows of deleted holders are being deleted */
  filter: Document;
  /** an id below those of all holders, if these are not ObjectIds */
  lowestId?: string;
  /** counter -> path in the holder */
  paths: Record<string, string>;
  /** computes derived counters */
  derive?: (counts: Record<string, number>) => Record<string, number>;
  /** counters that are not compared for this holder */
  ignores?: (holder: Document) => readonly string[];
  /** the parent that must not be deleted either */
  within?: { collection: string; field: string };
};

export type CountedKind = CountedCollection & { sources: readonly CounterSource[] };

/** Modules register their counters and sources here, in their constructors. */
@Injectable()
export class CounterRegistry {
  private readonly collections: CountedCollection[] = [];
  private readonly sources = new Map<string, CounterSource[]>();

  addCollection(collection: CountedCollection): void {
    this.collections.push(collection);
  }

  /** @param counted the name of the collection that has these counters */
  addSources(counted: string, ...sources: CounterSource[]): void {
    this.sources.set(counted, [...(this.sources.get(counted) ?? []), ...sources]);
  }

  /** Returns the collections in the order of an audit. */
  list(): CountedKind[] {
    const kinds = this.collections.map((collection) => ({
      ...collection,
      sources: this.sources.get(collection.name) ?? [],
    }));
    return kinds.sort((a, b) => a.order - b.order);
  }
}
