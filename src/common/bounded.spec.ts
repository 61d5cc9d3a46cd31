import { BoundedMap, BoundedSet, OldestKeys } from './bounded.js';

describe('a map with a limit', () => {
  it('evicts the oldest key, and a new value does not change the position of its key', () => {
    const map = new BoundedMap<number, string>(300);
    for (let key = 0; key < 300; key++) map.set(key, 'old');
    map.set(0, 'new');
    expect(map.size).toBe(300);
    for (let key = 300; key < 1_000; key++) {
      map.set(key, 'old');
      expect([map.size, map.has(key - 300), map.has(key - 299)]).toEqual([300, false, true]);
    }
  });

  it('does not count deleted or cleared keys', () => {
    const map = new BoundedMap<number, number>(3);
    for (const key of [1, 2, 3, 4]) map.set(key, key);
    map.delete(2);
    map.set(5, 5);
    expect([...map.keys()]).toEqual([3, 4, 5]);
    map.clear();
    for (const key of [6, 7, 8, 9]) map.set(key, key);
    expect([...map.keys()]).toEqual([7, 8, 9]);
  });
});

describe('a set with a limit', () => {
  it('evicts the oldest value', () => {
    const set = new BoundedSet<string>(2);
    for (const value of ['a', 'b', 'a', 'c']) set.add(value);
    expect([...set]).toEqual(['b', 'c']);
  });
});

describe('the oldest items', () => {
  it('are the remaining ones, in order, and undefined at the end', () => {
    const set = new Set(Array.from({ length: 250 }, (_, at) => at));
    const oldest = new OldestKeys<number>(
      () => set,
      (item) => set.has(item),
    );
    const taken: number[] = [];
    for (let item = oldest.take(); item !== undefined; item = oldest.take()) {
      set.delete(item);
      // Deletes an item outside of the eviction.
      set.delete(item + 1);
      taken.push(item);
    }
    expect(taken).toEqual(Array.from({ length: 125 }, (_, at) => 2 * at));
  });
});
