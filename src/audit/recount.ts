import type { Document, ObjectId } from 'mongodb';
import { BACKGROUND } from '../platform/mongo/slow-query/command-monitor.js';
import type { CountedKind, OwnerRange, Snapshot } from './counter-registry.js';

export type Difference = {
  collection: CountedKind['name'];
  id: string;
  counter: string;
  stored: number | null;
  counted: number;
};

type Counts = Record<string, number>;

/** Counts the rows of the holders, with one aggregation per source and memory for these holders only. */
export async function count(
  kind: CountedKind,
  holders: OwnerRange,
  snapshot: Snapshot,
): Promise<(holder: Document) => Counts> {
  const byHolder = new Map<string, Counts>();
  for (const source of kind.sources) {
    const pipeline = await source.pipeline(holders, snapshot);
    const options = { session: snapshot.session, batchSize: 5_000, comment: BACKGROUND };
    const cursor = snapshot.db.collection(source.collection).aggregate<{ _id: ObjectId } & Counts>(pipeline, options);
    for await (const row of cursor) {
      const id = String(row._id);
      const counts = byHolder.get(id) ?? {};
      for (const name of source.counters) counts[name] = (counts[name] ?? 0) + row[name]!;
      byHolder.set(id, counts);
    }
  }
  const zeros = Object.fromEntries(kind.sources.flatMap(({ counters }) => counters.map((name) => [name, 0])));
  return (holder) => {
    const counts = { ...zeros, ...byHolder.get(String(holder['_id'])) };
    return { ...counts, ...kind.derive?.(counts) };
  };
}

/** Fields of a holder that an audit reads. */
export function holderProjection(kind: CountedKind): Record<string, 1> {
  const fields = Object.values(kind.paths).map((path) => [path, 1] as const);
  return { ...Object.fromEntries(fields), deletedAt: 1, ...(kind.within && { [kind.within.field]: 1 }) };
}

export function compare(kind: CountedKind, holder: Document, counts: Counts): Difference[] {
  const ignored = kind.ignores?.(holder) ?? [];
  const differences: Difference[] = [];
  for (const [counter, path] of Object.entries(kind.paths)) {
    if (ignored.includes(counter)) continue;
    const stored = valueAt(holder, path);
    const counted = counts[counter]!;
    if (stored === counted) continue;
    const id = String(holder['_id']);
    differences.push({ collection: kind.name, id, counter, stored, counted });
  }
  return differences;
}

function valueAt(holder: Document, path: string): number | null {
  const value: unknown = path.split('.').reduce<unknown>((at, field) => (at as Document | undefined)?.[field], holder);
  return typeof value === 'number' ? value : null;
}
