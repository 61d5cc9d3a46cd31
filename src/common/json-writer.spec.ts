import fc from 'fast-check';
import { BSON } from 'mongodb';
import { BsonFields } from './bson-fields.js';
import { JsonWriter } from './json-writer.js';

const writer = new JsonWriter();
const fields = new BsonFields(['value']);

/** Returns the output of the writer for a value encoded as BSON. */
function written(value: unknown): string {
  const source = Buffer.from(BSON.serialize({ before: 1, value, after: 'x' }));
  fields.read(source, 0);
  writer.reset();
  writer.value(source, fields.types[0]!, fields.offsets[0]!);
  return writer.copy().toString();
}

describe('JsonWriter', () => {
  it.each<[string, fc.Arbitrary<unknown>]>([
    ['strings of any characters', fc.string({ unit: 'binary' })],
    [
      'control characters',
      fc.string({ unit: fc.constantFrom('\u0000', '\u001f', '\u007f', '\b', '\t', '\n', '\f', '\r') }),
    ],
    ['whole numbers', fc.oneof(fc.integer(), fc.maxSafeInteger())],
    ['fractions, infinities and NaN', fc.double()],
    ['dates', fc.date({ noInvalidDate: true })],
    ['booleans and null', fc.constantFrom(true, false, null)],
    ['lists', fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(null)), { maxLength: 5 })],
  ])('writes %s as JSON.stringify does', (_what, values) => {
    fc.assert(
      fc.property(values, (value) => expect(written(value)).toBe(JSON.stringify(value))),
      { numRuns: 500 },
    );
  });

  it('grows over its first buffer', () => {
    const text = '"é\n'.repeat(100_000);
    expect(written(text)).toBe(JSON.stringify(text));
  });

  it('finds only the requested fields, also when another one has the same length and letters', () => {
    const two = new BsonFields(['ab', 'missing']);
    two.read(Buffer.from(BSON.serialize({ ba: 1, ab: 'here', abc: 2 })), 0);
    expect([...two.types]).toEqual([2, 0]);
  });
});
