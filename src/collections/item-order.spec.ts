import fc from 'fast-check';
import { CodedError } from '../common/errors.js';
import { ItemOrder, type ItemPosition } from './item-order.js';

const POSTS = Array.from('abcdefgh');
const now = new Date('2026-01-01T00:00:00Z');

type Step = { kind: 'put'; post: string; place: ItemPosition } | { kind: 'remove'; post: string };

const post = fc.constantFrom(...POSTS);
const step: fc.Arbitrary<Step> = fc.oneof(
  post.map((name): Step => ({ kind: 'put', post: name, place: {} })),
  fc.tuple(post, post).map(([name, before]): Step => ({ kind: 'put', post: name, place: { before } })),
  fc.tuple(post, post).map(([name, after]): Step => ({ kind: 'put', post: name, place: { after } })),
  post.map((name): Step => ({ kind: 'remove', post: name })),
);

/** The reference implementation on an array. Null means rejected. */
function applied(list: string[], { kind, post: name, ...rest }: Step): string[] | null {
  const others = list.filter((other) => other !== name);
  if (kind === 'remove') return others;
  const { before, after } = (rest as { place: ItemPosition }).place;
  const anchor = before ?? after;
  if (anchor === undefined) return list.includes(name) ? list : [...list, name];
  const at = others.indexOf(anchor);
  if (at === -1) return null;
  others.splice(before === undefined ? at + 1 : at, 0, name);
  return others;
}

/** Returns items in the stored order: by position, then by name. */
function stored(draft: ItemOrder): { postId: string; position: string }[] {
  return [...draft.entries()]
    .map(([postId, { position }]) => ({ postId, position }))
    .sort((a, b) => (a.position < b.position ? -1 : a.position > b.position ? 1 : a.postId < b.postId ? -1 : 1));
}

describe('ItemOrder', () => {
  it('orders like an array after any inserts, moves and removals, with any number of saves between them', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(step, fc.boolean()), { maxLength: 120 }), (steps) => {
        let model: string[] = [];
        let draft = new ItemOrder([]);
        for (const [next, isStored] of steps) {
          const expected = applied(model, next);
          if (expected === null) {
            expect(() => draft.put(next.post, (next as { place: ItemPosition }).place, now)).toThrow(CodedError);
          } else {
            model = expected;
            if (next.kind === 'remove') draft.remove(next.post);
            else expect(draft.put(next.post, next.place, now)).toBe(model.indexOf(next.post) + 1);
          }
          if (isStored) draft = new ItemOrder(stored(draft));
          expect(stored(draft).map(({ postId }) => postId)).toEqual(model);
        }
      }),
    );
  });

  it('keeps its order through hundreds of moves to one place, and reassigns positions', () => {
    let draft = new ItemOrder([]);
    for (const name of POSTS) draft.put(name, {}, now);
    let model = [...POSTS];
    let dealt = 0;
    for (let times = 0; times < 1_000; times++) {
      const name = POSTS[2 + (times % 6)]!;
      draft.put(name, { after: 'a' }, now);
      model = applied(model, { kind: 'put', post: name, place: { after: 'a' } })!;
      dealt += Number(draft.isRebalanced);
      draft = new ItemOrder(stored(draft));
      expect(stored(draft).map(({ postId }) => postId)).toEqual(model);
    }
    expect(dealt).toBeGreaterThan(1);
    expect(dealt).toBeLessThan(10);
  });

  it('repairs two items that got the same position in two processes', () => {
    const draft = new ItemOrder([
      { postId: 'a', position: 'V' },
      { postId: 'b', position: 'V' },
    ]);
    draft.put('c', { after: 'a' }, now);
    expect(draft.isRebalanced).toBe(true);
    expect(stored(draft).map(({ postId }) => postId)).toEqual(['a', 'c', 'b']);
  });

  it('accepts two neighbors that are adjacent, and refuses others', () => {
    const draft = new ItemOrder([]);
    for (const name of ['a', 'b', 'c']) draft.put(name, {}, now);
    expect(draft.put('d', { after: 'a', before: 'b' }, now)).toBe(2);
    expect(() => draft.put('e', { after: 'a', before: 'b' }, now)).toThrow(
      expect.objectContaining({ code: 'invalid_place' }),
    );
    // `d` is already between `a` and `b`.
    expect(draft.put('d', { after: 'a', before: 'b' }, now)).toBe(2);
  });

  it('changes nothing after a refused place', () => {
    const draft = new ItemOrder([{ postId: 'a', position: 'V' }]);
    expect(() => draft.put('a', { note: 'new', after: 'nobody' }, now)).toThrow(CodedError);
    expect([...draft.entries()]).toEqual([['a', { position: 'V' }]]);
  });
});
