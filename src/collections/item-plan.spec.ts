import { ObjectId } from 'mongodb';
import { CodedError } from '../common/errors.js';
import { pairId } from '../common/pair-id.js';
import { MAX_ITEMS } from './collection-rules.js';
import { type ItemWrite, type CurrentState, planItems } from './item-plan.js';
import { evenPositions } from './positions.js';

const hex = (letter: string, n = 0): string => n.toString(16).padStart(24, letter);
const [owner, stranger, moderator] = [hex('a'), hex('b'), hex('c')];
const [list, hidden, series, other] = [hex('d', 1), hex('d', 2), hex('d', 3), hex('d', 4)];
const now = new Date('2026-01-01T00:00:00Z');

const collection = (kind: 'list' | 'series', isPublic = true) => {
  return { ownerId: new ObjectId(owner), isPublic, deletedAt: null, kind, stats: { postsCount: 0 } };
};
const post = (authorId: string, isListed = true, deletedAt: Date | null = null) => {
  return { authorId: new ObjectId(authorId), isListed, deletedAt };
};
const posts = new Map(Array.from({ length: 6 }, (_, n) => [hex('e', n), post(owner)]));
const [p0, p1, p2] = [...posts.keys()] as [string, string, string];
const [foreign, draft, deleted] = [hex('f', 1), hex('f', 2), hex('f', 3)];
posts
  .set(foreign, post(stranger))
  .set(draft, post(stranger, false))
  .set(deleted, post(owner, false, now));

function stateOf(
  orders: Record<string, string[]> = {},
  held: Record<string, string> = {},
  uncounted: string[] = [],
): CurrentState {
  const counted = (kind: 'list' | 'series', id: string, isListed = true) => ({
    ...collection(kind, isListed),
    stats: { postsCount: (orders[id] ?? []).filter((post) => !uncounted.includes(id + post)).length },
  });
  return {
    uncounted: new Set(uncounted),
    collections: new Map([
      [list, counted('list', list)],
      [hidden, counted('list', hidden, false)],
      [series, counted('series', series)],
      [other, counted('series', other)],
    ]),
    posts,
    orders: new Map(
      Object.entries(orders).map(([id, ids]) => {
        const positions = evenPositions(ids.length);
        return [id, ids.map((postId, at) => ({ postId, position: positions[at]! }))];
      }),
    ),
    series: new Map(Object.entries(held)),
  };
}

const by = (id: string, role: 'user' | 'moderator' = 'user') => ({ viewer: { id, role } });
const put = (collectionId: string, postId: string, place = {}): ItemWrite => {
  return { kind: 'put', ...by(owner), collectionId, postId, ...place };
};
const remove = (collectionId: string, postId: string): ItemWrite => {
  return { kind: 'remove', ...by(owner), collectionId, postId };
};
const codesOf = (results: unknown[]) => results.map((result) => (result instanceof CodedError ? result.code : 'ok'));

describe('planItems', () => {
  it('adds a toggled post at the end, or removes it, by the order that the toggles before it leave', () => {
    const toggle = (postId: string): ItemWrite => put(list, postId, { isToggle: true });
    const plan = planItems([toggle(p1), toggle(p0), toggle(p1), toggle(p1)], stateOf({ [list]: [p0] }), now);

    expect(plan.results).toEqual([
      { position: 2, postsCount: 2 },
      { position: 0, postsCount: 1 },
      { position: 0, postsCount: 0 },
      { position: 1, postsCount: 1 },
    ]);
    expect(plan.inserts.map(({ postId }) => postId.toHexString())).toEqual([p1]);
    expect(plan.deletes).toEqual([pairId(new ObjectId(list), new ObjectId(p0))]);
    expect(plan.stats.size).toBe(0);
  });

  it('returns to each caller the position and count as of its place in the batch', () => {
    const plan = planItems(
      [put(list, p0), put(list, p1), put(list, p2, { before: p0 }), remove(list, p0)],
      stateOf(),
      now,
    );
    expect(plan.results).toEqual([
      { position: 1, postsCount: 1 },
      { position: 2, postsCount: 2 },
      { position: 1, postsCount: 3 },
      { position: 0, postsCount: 2 },
    ]);
    expect([plan.inserts.length, plan.updates.length, plan.deletes.length]).toEqual([2, 0, 0]);
    expect([...plan.stats]).toEqual([[list, { postsCount: 2 }]]);
  });

  it('writes one row for a move, and nothing for an item already in place', () => {
    const state = stateOf({ [list]: [p0, p1, p2] });
    const moved = planItems([put(list, p2, { before: p0 })], state, now);
    expect(moved.updates).toHaveLength(1);
    expect(moved.stats.size).toBe(0);
    const same = planItems([put(list, p1), put(list, p1, { after: p0 }), remove(list, foreign)], state, now);
    expect([same.inserts, same.updates, same.deletes, [...same.stats]]).toEqual([[], [], [], []]);
  });

  it('keeps a note until it is replaced, and deletes it with the item', () => {
    const state = stateOf({ [list]: [p0] });
    const _id = pairId(new ObjectId(list), new ObjectId(p0));
    expect(planItems([put(list, p0, { note: 'Begin here.' })], state, now).updates).toEqual([
      { _id, note: 'Begin here.' },
    ]);
    const [again] = planItems([remove(list, p0), put(list, p0)], state, now).updates;
    expect(again).toMatchObject({ _id, note: null, addedAt: now });
  });

  it('refuses only the items that the caller may not change, or whose post they may not read', () => {
    const items: ItemWrite[] = [
      { ...put(list, p0), ...by(stranger) },
      { ...put(hidden, p0), ...by(stranger) },
      { ...put(hidden, p0), ...by(moderator, 'moderator') },
      put(hex('9'), p0),
      put(list, draft),
      put(list, deleted),
      put(list, hex('9')),
      put(list, foreign),
    ];
    expect(codesOf(planItems(items, stateOf(), now).results)).toEqual([
      'forbidden',
      'collection_not_found',
      'forbidden',
      'collection_not_found',
      'post_not_found',
      'post_not_found',
      'post_not_found',
      'ok',
    ]);
  });

  it('lets the owner move and remove a post that was hidden since', () => {
    const state = stateOf({ [list]: [draft, p0] });
    const plan = planItems([put(list, draft, { after: p0 }), remove(list, draft)], state, now);
    expect(codesOf(plan.results)).toEqual(['ok', 'ok']);
  });

  it('counts posts that everyone may read, each once', () => {
    const own = hex('e', 0x100);
    posts.set(own, post(owner, false));
    const state = stateOf({ [list]: [p0, p1] }, {}, [list + p1]);

    const plan = planItems(
      [put(list, own), put(list, p2), remove(list, p1), remove(list, p0), put(list, p0)],
      state,
      now,
    );

    expect(plan.results.map((result) => (result as { postsCount: number }).postsCount)).toEqual([1, 2, 2, 1, 2]);
    expect([...plan.stats]).toEqual([[list, { postsCount: 1 }]]);
    expect(plan.inserts.map(({ isListed }) => isListed)).toEqual([false, true]);
  });

  it('gives the last free place to one of two', () => {
    const full = Array.from({ length: MAX_ITEMS - 1 }, (_, n) => hex('8', 0x100000 + n));
    const plan = planItems([put(list, p0), put(list, p1), put(list, p0)], stateOf({ [list]: full }), now);
    expect(codesOf(plan.results)).toEqual(['ok', 'collection_full', 'ok']);
    expect([...plan.stats.values()]).toEqual([{ postsCount: 1 }]);
  });

  it('allows a post in one series only, its author’s', () => {
    const plan = planItems(
      [put(series, foreign), put(series, p0), put(other, p0), remove(series, p0), put(other, p0), put(other, p1)],
      stateOf({}, { [p1]: series }),
      now,
    );
    expect(codesOf(plan.results)).toEqual([
      'forbidden',
      'ok',
      'post_in_other_series',
      'ok',
      'ok',
      'post_in_other_series',
    ]);
    expect([...plan.series]).toEqual([[p0, other]]);
  });
});
