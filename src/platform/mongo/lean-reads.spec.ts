import fc from 'fast-check';
import { Schema } from 'mongoose';
import { allFields, streamBatches, streamRows } from './lean-reads.js';

/** Reads the numbers below `count` in order, and counts the reads. */
function listOf(count: number) {
  const list = { reads: 0, read: async (last: number | null, limit: number) => (list.reads++, after(last, limit)) };
  const after = (last: number | null, limit: number): number[] => {
    const from = last === null ? 0 : last + 1;
    return Array.from({ length: Math.max(0, Math.min(limit, count - from)) }, (_, at) => from + at);
  };
  return list;
}

async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const each of stream) all.push(each);
  return all;
}

describe('streamBatches', () => {
  it('yields every row once, in full batches, and reads nothing after a short one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(40), fc.integer({ min: 1, max: 9 }), async (count, size) => {
        const list = listOf(count);

        const batches = await collect(streamBatches(size, list.read));
        const rows = await collect(streamRows(size, listOf(count).read));

        expect(rows).toEqual(Array.from({ length: count }, (_, row) => row));
        expect(batches.flat()).toEqual(rows);
        expect(batches.slice(0, -1).every(({ length }) => length === size)).toBe(true);
        expect(list.reads).toBe(Math.floor(count / size) + 1);
      }),
    );
  });
});

describe('allFields', () => {
  it('names each field of the schema once, without the id and the exceptions', () => {
    const schema = new Schema<{ name: string; secret: string; stats: { likes: number; views: number } }>({
      name: String,
      secret: String,
      stats: { likes: Number, views: Number },
    });

    expect(allFields(schema)).toEqual({ name: 1, secret: 1, stats: 1 });
    expect(allFields(schema, 'secret')).toEqual({ name: 1, stats: 1 });
  });
});
