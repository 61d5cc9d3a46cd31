import fc from 'fast-check';
import { HEAD_BYTES, imageTypeOf } from './image-type.js';

const box = (major: string, ...compatible: string[]): Buffer => {
  const brands = Buffer.from(`ftyp${major}\0\0\0\0${compatible.join('')}`, 'latin1');
  const size = Buffer.alloc(4);
  size.writeUInt32BE(4 + brands.length);
  return Buffer.concat([size, brands, Buffer.from('\0\0\0\x10meta', 'latin1')]);
};

describe('imageTypeOf', () => {
  it.each<[string, string | Buffer, string | null]>([
    ['a JPEG', '\xff\xd8\xff\xe0\0\x10JFIF', 'jpeg'],
    ['a PNG', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'png'],
    ['a PNG that was changed to text', '\x89PNG\n\x1a\n\0\0\0\rIHDR', null],
    ['a GIF', 'GIF89a', 'gif'],
    ['an old GIF', 'GIF87a', 'gif'],
    ['a WebP', 'RIFF\x24\0\0\0WEBPVP8 ', 'webp'],
    ['a sound', 'RIFF\x24\0\0\0WAVEfmt ', null],
    ['an AVIF', box('avif', 'mif1', 'miaf'), 'avif'],
    ['an AVIF by what it is compatible with', box('mif1', 'miaf', 'avif'), 'avif'],
    ['a HEIC', box('heic', 'mif1'), null],
    ['a video', box('isom', 'mp42'), null],
    ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg">', null],
    ['a BMP', 'BM\x36\0\0\0', null],
    ['a TIFF', 'II*\0', null],
    ['a PDF', '%PDF-1.7', null],
    ['nothing', '', null],
  ])('knows %s', (_, bytes, type) => {
    const file = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;
    expect(imageTypeOf(file.subarray(0, HEAD_BYTES))).toBe(type);
  });

  it('accepts any bytes without throwing', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: HEAD_BYTES }), fc.boolean(), (bytes, isBox) => {
        const head = Buffer.from(bytes);
        if (isBox && head.length >= 8) head.write('ftyp', 4, 'latin1');
        imageTypeOf(head);
      }),
    );
  });
});
