import fc from 'fast-check';
import { CursorCodec } from './cursor.js';

const hexId = fc.stringMatching(/^[0-9a-f]{24}$/);
const position = fc.record({ epoch: fc.nat(), value: fc.double({ noNaN: true }), id: hexId });
const key = fc.string({ unit: 'binary', minLength: 1, maxLength: 32 });

describe('CursorCodec', () => {
  const codec = new CursorCodec('a secret of enough characters');

  it('decodes to the encoded position, in 48 characters', () => {
    fc.assert(
      fc.property(position, fc.string(), (given, scope) => {
        const cursor = codec.encode(scope, given);
        expect(cursor).toHaveLength(48);
        expect(codec.decode(scope, cursor)).toEqual(given);
      }),
    );
  });

  it('contains a text of up to 128 bytes, in at most 219 characters', () => {
    fc.assert(
      fc.property(position, key, fc.string(), (given, text, scope) => {
        const cursor = codec.encode(scope, { ...given, key: text });
        expect(cursor.length).toBeLessThanOrEqual(219);
        expect(codec.decode(scope, cursor)).toEqual({ ...given, key: text });
        // Extra characters, or another spelling of the last character, must not make a second valid cursor.
        for (const forged of [
          `${cursor}A`,
          cursor.slice(0, -1),
          cursor.slice(0, -1) + (cursor.endsWith('B') ? 'C' : 'B'),
        ])
          expect(() => codec.decode(scope, forged)).toThrow(expect.objectContaining({ code: 'invalid_cursor' }));
      }),
    );
    expect(() => codec.encode('', { epoch: 0, value: 0, id: 'a'.repeat(24), key: 'x'.repeat(129) })).toThrow(
      RangeError,
    );
  });

  it('refuses a cursor of another list, of another server, and one with any character changed', () => {
    fc.assert(
      fc.property(position, fc.nat(47), fc.constantFrom('A', 'z', '0', '-'), (given, at, letter) => {
        const cursor = codec.encode('feed|hot', given);
        expect(() => codec.decode('feed|latest', cursor)).toThrow('does not belong to this list');
        expect(() => new CursorCodec('another secret').decode('feed|hot', cursor)).toThrow(
          'does not belong to this list',
        );
        fc.pre(cursor[at] !== letter);
        const forged = cursor.slice(0, at) + letter + cursor.slice(at + 1);
        expect(() => codec.decode('feed|hot', forged)).toThrow('does not belong to this list');
      }),
    );
  });

  it.each(['', 'x', 'a'.repeat(47), 'a'.repeat(49), 'é'.repeat(48), '../../etc/passwd'])('refuses %j', (cursor) => {
    expect(() => codec.decode('feed|hot', cursor)).toThrow(expect.objectContaining({ code: 'invalid_cursor' }));
  });
});
