import { isDeepStrictEqual } from 'node:util';
import type { CollationOptions, Document } from 'mongodb';

/** The properties that decide which queries an index serves and which writes it rejects. */
export interface IndexShape {
  key: Record<string, unknown>;
  unique?: boolean;
  sparse?: boolean;
  partialFilterExpression?: Document;
  expireAfterSeconds?: number;
  collation?: CollationOptions;
}

export interface ExistingIndex extends IndexShape {
  name: string;
}

export interface RedundantIndex {
  name: string;
  key: Record<string, unknown>;
  kind: 'undeclared' | 'changed' | 'prefix';
  reason: string;
}

export interface IndexDiff {
  missing: IndexShape[];
  redundant: RedundantIndex[];
}

/** Compares declared with existing indexes. If the options of an index differ, the old one is redundant and the new one is missing. */
export function diffIndexes(declared: IndexShape[], existing: ExistingIndex[]): IndexDiff {
  const others = existing.filter(({ name }) => name !== '_id_');
  const missing = declared.filter((wanted) => !others.some((index) => isSameIndex(index, wanted)));
  const redundant = others.flatMap((index): RedundantIndex[] => {
    const { name, key } = index;
    if (!declared.some((wanted) => isSameIndex(index, wanted))) {
      return declared.some((wanted) => isSameKey(key, wanted.key))
        ? [{ name, key, kind: 'changed', reason: 'its options differ from the declared ones' }]
        : [{ name, key, kind: 'undeclared', reason: 'no schema declares it' }];
    }
    const longer = others.find((other) => isPrefixOf(index, other));
    const reason = `${longer?.name} begins with the same fields and serves the same queries`;
    return longer ? [{ name, key, kind: 'prefix', reason }] : [];
  });
  return { missing, redundant };
}

/**
 * Whether the fields of a plain index are a prefix of another index with the same filter and collation. Unique and TTL indexes are never
 * redundant.
 */
function isPrefixOf(index: ExistingIndex, other: ExistingIndex): boolean {
  if (index === other || index.unique || index.expireAfterSeconds !== undefined) return false;
  const fields = Object.entries(index.key);
  const longer = Object.entries(other.key);
  if (longer.length <= fields.length || !isDeepStrictEqual(longer.slice(0, fields.length), fields)) return false;
  return isDeepStrictEqual(coverageOf(index), coverageOf(other));
}

function coverageOf({ sparse, partialFilterExpression, collation }: IndexShape): unknown[] {
  return [sparse ?? false, partialFilterExpression ?? null, collation?.locale ?? null];
}

function isSameIndex(a: IndexShape, b: IndexShape): boolean {
  const optionsOf = (index: IndexShape): unknown[] => [
    index.unique ?? false,
    index.expireAfterSeconds ?? null,
    ...coverageOf(index),
  ];
  return isSameKey(a.key, b.key) && isDeepStrictEqual(optionsOf(a), optionsOf(b));
}

/** Compares keys including the order of their fields. */
function isSameKey(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  return isDeepStrictEqual(Object.entries(a), Object.entries(b));
}
