import { type Document, ObjectId } from 'mongodb';

export type UpdateStatement = {
  q: Document;
  u: Document | Document[];
  multi?: boolean;
  upsert?: boolean;
  hint?: Document;
};

/** Filters by primary keys. A single id avoids `$in`, because the server has a fast path for an equality. */
export function byIds(ids: readonly unknown[]): Document {
  return { _id: ids.length === 1 ? ids[0] : { $in: ids } };
}

/**
 * Returns statements that add differences to counters (keyed by hex id). Rows with equal changes share a statement; zero changes are
 * omitted.
 */
export function statsStatements<Counter extends string>(
  changes: ReadonlyMap<string, Partial<Record<Counter, number>>>,
  counters: readonly Counter[],
  update: (moved: Partial<Record<Counter, number>>) => Document | Document[] = increment,
): UpdateStatement[] {
  const groups = new Map<string, { ids: ObjectId[]; moved: Partial<Record<Counter, number>> }>();
  for (const [hex, change] of changes) {
    let key = '';
    const moved: Partial<Record<Counter, number>> = {};
    for (const counter of counters) {
      const difference = change[counter] ?? 0;
      if (difference === 0) continue;
      moved[counter] = difference;
      key += `${counter} ${difference} `;
    }
    if (key === '') continue;
    const id = ObjectId.createFromHexString(hex);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { ids: [id], moved });
    else group.ids.push(id);
  }
  return [...groups.values()].map(({ ids, moved }) => ({ q: byIds(ids), u: update(moved), multi: ids.length > 1 }));
}

/** Returns `{ $inc: { 'stats.<counter>': difference } }`. */
export function increment(moved: Partial<Record<string, number>>): Document {
  const $inc: Document = {};
  for (const counter in moved) $inc[`stats.${counter}`] = moved[counter];
  return { $inc };
}
