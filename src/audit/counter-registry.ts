import { Injectable } from '@nestjs/common';
import type { ClientSession, Db, Document, ObjectId } from 'mongodb';

/** The holders to count: one, or those from `$gt` (exclusive) to `$lte` (inclusive), by _id. */
export type Holders = { $eq: ObjectId } | { $gt: ObjectId; $lte: ObjectId };

/** Where and in which transaction a source is read. */
export type Snapshot = { db: Db; session?: ClientSession };

/** Rows of one collection behind some counters, grouped by their holder. Several sources of one counter are added up. */
export type CounterSource = {
  collection: string;
  /** counters this source gives; a holder it has no rows of counts 0 */
  counters: readonly string[];
  /** returns `{ _id: holder, …counters }`; must be served by an index on the holder */
  pipeline(holders: Holders, snapshot: Snapshot): Document[] | Promise<Document[]>;
};

/** A collection whose documents carry counters. */
export type CountedCollection = {
  name: string;
  /** collections are audited from low to high: one whose counters are made of another's comes after it */
  order: number;
  /** holders whose counters mean something: of deleted ones the rows are being removed */
  filter: Document;
  /** counter -> path in the holder */
  paths: Record<string, string>;
  /** counters that follow from others */
  derive?: (counts: Record<string, number>) => Record<string, number>;
  /** counters that holders of an earlier version lack: none is 0 */
  mayLack?: readonly string[];
  /** counters that do not bind for this holder */
  ignores?: (holder: Document) => readonly string[];
  /** the holder that must be live too for the counters to mean anything */
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

  /** @param counted the name of the collection whose counters these rows are behind */
  addSources(counted: string, ...sources: CounterSource[]): void {
    this.sources.set(counted, [...(this.sources.get(counted) ?? []), ...sources]);
  }

  /** In the order of an audit. */
  list(): CountedKind[] {
    const kinds = this.collections.map((collection) => ({
      ...collection,
      sources: this.sources.get(collection.name) ?? [],
    }));
    return kinds.sort((a, b) => a.order - b.order);
  }
}
