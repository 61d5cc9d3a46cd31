import type { ClientSession, Db, Document, ObjectId } from 'mongodb';
import { BACKGROUND } from '../platform/mongo/slow-query/command-monitor.js';
import type { CountedKind, IdRange } from './counter-sources.js';

export type Difference = {
  collection: CountedKind['name'];
  id: string;
  counter: string;
  stored: number | null;
  counted: number;
};

type Counts = Record<string, number>;

/** What the rows say about the holders of a range: one aggregation per source, memory for the holders of the range. */
export async function countRange(
  db: Db,
  kind: CountedKind,
  { after, upTo }: IdRange,
): Promise<(holder: Document) => Counts> {
  const byHolder = await countBy(db, kind, { $gt: after, $lte: upTo });
  return (holder) => complete(kind, byHolder.get((holder['_id'] as ObjectId).toHexString()));
}

/** The same for one holder, inside a transaction. */
export async function countOne(db: Db, kind: CountedKind, id: ObjectId, session: ClientSession): Promise<Counts> {
  const byHolder = await countBy(db, kind, { $eq: id }, session);
  return complete(kind, byHolder.get(id.toHexString()));
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
    const stored = valueAt(holder, path) ?? (kind.mayLack?.includes(counter) ? 0 : null);
    const counted = counts[counter]!;
    if (stored === counted) continue;
    const id = (holder['_id'] as ObjectId).toHexString();
    differences.push({ collection: kind.name, id, counter, stored, counted });
  }
  return differences;
}

async function countBy(
  db: Db,
  kind: CountedKind,
  holder: Document,
  session?: ClientSession,
): Promise<Map<string, Counts>> {
  const byHolder = new Map<string, Counts>();
  for (const source of kind.sources) {
    const pipeline = await source.pipeline(holder, { db, session });
    const cursor = db
      .collection(source.collection)
      .aggregate<{ _id: ObjectId } & Counts>(pipeline, { session, batchSize: 5_000, comment: BACKGROUND });
    for await (const row of cursor) {
      const hex = row._id.toHexString();
      const counts = byHolder.get(hex) ?? {};
      for (const name of source.counters) counts[name] = (counts[name] ?? 0) + row[name]!;
      byHolder.set(hex, counts);
    }
  }
  return byHolder;
}

function complete(kind: CountedKind, found: Counts = {}): Counts {
  const zeros = Object.fromEntries(kind.sources.flatMap(({ counters }) => counters.map((name) => [name, 0])));
  const counts = { ...zeros, ...found };
  return { ...counts, ...kind.derive?.(counts) };
}

function valueAt(holder: Document, path: string): number | null {
  const value: unknown = path.split('.').reduce<unknown>((at, field) => (at as Document | undefined)?.[field], holder);
  return typeof value === 'number' ? value : null;
}
