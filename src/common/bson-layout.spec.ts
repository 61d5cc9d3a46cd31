import fc from 'fast-check';
import { Binary, BSON, Double, Int32, Long, ObjectId } from 'mongodb';
import { BsonLayout } from './bson-layout.js';

/** a document somewhere in a reply: the bytes around it are not its own */
function placed(document: object, before = 3) {
  const bytes = BSON.serialize(document);
  const buffer = Buffer.concat([Buffer.alloc(before, 0xee), bytes, Buffer.alloc(5, 0x11)]);
  return { buffer, start: before, view: new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength) };
}

function isAlike(one: object, other: object, before = 3): boolean {
  const first = placed(one);
  const second = placed(other, before);
  return new BsonLayout(first.buffer, first.start).matches(second.view, second.start);
}

const post = (views: unknown, hot: unknown) => ({
  _id: new ObjectId(),
  stats: { views, likes: new Int32(1) },
  rank: { hot },
  at: new Date(Math.floor(Math.random() * 1e12)),
});

describe('the layout of BSON documents', () => {
  it('is the same for other numbers, dates and ids, wherever the document lies', () => {
    for (const before of [0, 1, 2, 3, 4, 5])
      expect(isAlike(post(new Int32(1), 0.5), post(new Int32(2 ** 31 - 1), -1e300), before)).toBe(true);
  });

  it('is another one when a value would be read as the wrong type, under the wrong name or at the wrong place', () => {
    const one = post(new Int32(1), 0.5);
    expect(isAlike(one, post(Long.fromNumber(1), 0.5))).toBe(false);
    expect(isAlike(one, post(new Double(1), 0.5))).toBe(false);
    // types of one size: the length of the document is the same
    expect(isAlike(one, post(new Int32(1), Long.fromNumber(5)))).toBe(false);
    expect(isAlike(one, post(new Int32(1), new Date(0)))).toBe(false);
    expect(isAlike(one, { ...one, rank: { top: 0.5 } })).toBe(false);
    expect(isAlike(one, { ...one, rank: {} })).toBe(false);
    expect(isAlike(one, { ...one, more: 1 })).toBe(false);
    expect(isAlike({ a: 1.5, b: 2.5 }, { b: 1.5, a: 2.5 })).toBe(false);
    expect(isAlike({ a: { x: 1.5 }, b: 2.5 }, { a: { x: 1.5, b: 2.5 } })).toBe(false);
  });

  it('holds what has no fixed size to the same bytes, so that nothing is read from inside a text', () => {
    expect(isAlike({ title: 'one', n: 1 }, { title: 'one', n: 2 })).toBe(true);
    expect(isAlike({ title: 'one', n: 1 }, { title: 'two', n: 1 })).toBe(false);
    expect(isAlike({ tags: ['a'], n: 1 }, { tags: ['b'], n: 1 })).toBe(false);
    expect(isAlike({ bytes: new Binary(Buffer.of(1)) }, { bytes: new Binary(Buffer.of(2)) })).toBe(false);
  });

  it('tells any two documents apart that differ in more than values: every byte of a name or a type counts', () => {
    const name = fc.string({ minLength: 1, maxLength: 9, unit: fc.constantFrom('a', 'b') });
    const value = fc.constantFrom<unknown>(0.5, new Int32(7), Long.fromNumber(9), new Date(5), true, null);
    const flat = fc.array(fc.tuple(name, value), { minLength: 1, maxLength: 5 });
    const shapeOf = (document: object) => Object.entries(document).map(([key, held]) => [key, kindOf(held)]);
    fc.assert(
      fc.property(flat, flat, (one, other) => {
        const [first, second] = [Object.fromEntries(one), Object.fromEntries(other)];
        const isSame = JSON.stringify(shapeOf(first)) === JSON.stringify(shapeOf(second));
        expect(isAlike(first, second)).toBe(isSame);
        expect(isAlike(first, first)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('refuses a document that is cut off by the end of the reply instead of reading on', () => {
    const { buffer, start, view } = placed({ a: 1.5 });
    const layout = new BsonLayout(buffer, start);
    expect(layout.matches(view, start)).toBe(true);
    expect(() => layout.matches(new DataView(view.buffer, view.byteOffset, start + 8), start)).toThrow(RangeError);
  });
});

function kindOf(value: unknown): string {
  return value === null ? 'null' : typeof value === 'object' ? value.constructor.name : typeof value;
}
