import { PendingChanges } from './pending-changes.js';

const idOf = (n: number): string => n.toString(16).padStart(24, '0');
const at = (n: number) => ({ token: { _data: `82${n}` }, at: n });
const NONE = { users: [], comments: [] };

describe('PendingChanges', () => {
  it('has a position only with the last of the changes before it, also after a failed write', () => {
    const pending = new PendingChanges();
    pending.add([`post:${idOf(1)}`, `post:${idOf(2)}`, 'feed'], at(1));
    pending.add([`post:${idOf(1)}`, `post:${idOf(3)}`], at(2));

    const first = pending.take(2);
    expect(first).toEqual({ ids: { posts: [idOf(1), idOf(2)], ...NONE }, position: null });
    const last = pending.take(2);
    expect(last).toEqual({ ids: { posts: [idOf(3)], ...NONE }, position: at(2) });
    expect(pending.isEmpty).toBe(true);

    pending.restore(last);
    pending.restore(first);
    expect(pending.take(3)).toEqual({ ids: { posts: [idOf(3), idOf(1), idOf(2)], ...NONE }, position: at(2) });
  });

  it('keeps every change after the position of another writer', () => {
    const pending = new PendingChanges();
    pending.add([`post:${idOf(1)}`], at(1));
    pending.discardUpTo(at(0));
    pending.add([`post:${idOf(2)}`], at(2));
    pending.discardUpTo(at(1));
    pending.add([`post:${idOf(3)}`], at(3));

    expect(pending.take(5)).toEqual({ ids: { posts: [idOf(2)], ...NONE }, position: at(2) });
    expect(pending.take(5)).toEqual({ ids: { posts: [idOf(3)], ...NONE }, position: at(3) });
    pending.add([`post:${idOf(4)}`], at(4));
    pending.discardUpTo(at(4));
    expect(pending.isEmpty).toBe(true);
  });

  it('forgets changes that are too many to find by their ids, and says so', () => {
    const pending = new PendingChanges();
    const tags = Array.from({ length: 200_001 }, (_, n) => `post:${idOf(n)}`);

    expect(pending.add(tags.slice(1), at(1))).toBe(true);
    expect(pending.add(tags, at(2))).toBe(false);
    expect(pending.isEmpty).toBe(true);
  });
});
