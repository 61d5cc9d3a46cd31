import fc from 'fast-check';
import { compressBody, decompressBody } from './body-codec.js';

describe('body codec', () => {
  it('restores every well-formed text exactly', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 4000 }), (text) => {
        const body = compressBody(text);
        expect(body.rawLength).toBe(Buffer.byteLength(text));
        expect(decompressBody(body)).toBe(text);
      }),
    );
  });

  it('refuses a body that is damaged, cut or of another codec', () => {
    const body = compressBody('word '.repeat(500));
    expect(() => decompressBody({ ...body, bytes: body.bytes.subarray(0, 10) })).toThrow();
    expect(() => decompressBody({ ...body, rawLength: 7 })).toThrow('2500 bytes where 7');
    expect(() => decompressBody({ ...body, codec: 'lz4' })).toThrow('lz4');
  });
});
