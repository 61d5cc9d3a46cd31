import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { isOlder } from '../../posts/publication-order.js';
import { entryId, entryRange, readEntry } from './timeline-entry-id.js';

const hex = fc.uint8Array({ minLength: 12, maxLength: 12 }).map((bytes) => Buffer.from(bytes).toString('hex'));
// Few distinct times create ties, which ids resolve.
const value = fc.oneof(fc.nat(3), fc.integer({ min: 0, max: 2 ** 47 }));
const entry = fc.record({ value, id: hex, authorId: hex });
const bytesOf = ({ buffer }: { buffer: Uint8Array }) => Buffer.from(buffer);

describe('the key of an entry', () => {
  it('decodes to its parts', () => {
    fc.assert(
      fc.property(hex, entry, (home, one) => {
        expect(readEntry(bytesOf(entryId(new ObjectId(home), one)), 0)).toEqual(one);
      }),
    );
  });

  it('lies in exactly the ranges that contain its place, in their order', () => {
    fc.assert(
      fc.property(hex, entry, entry, entry, (hexHome, one, after, from) => {
        const home = new ObjectId(hexHome);
        const key = bytesOf(entryId(home, one));
        const range = entryRange(home, after, from) as Record<'$gte' | '$lt', { buffer: Uint8Array }>;
        const isInside = key.compare(bytesOf(range.$gte)) >= 0 && key.compare(bytesOf(range.$lt)) < 0;
        expect(isInside).toBe(isOlder(one, after) && !isOlder(one, from));
        const all = entryRange(home) as Record<'$gte' | '$lte', { buffer: Uint8Array }>;
        expect(key.compare(bytesOf(all.$gte))).toBeGreaterThanOrEqual(0);
        expect(key.compare(bytesOf(all.$lte))).toBeLessThanOrEqual(0);
      }),
    );
  });
});
