/** Accepted types. libvips may read no others. */
export type ImageType = 'jpeg' | 'png' | 'webp' | 'avif' | 'gif';

/** enough bytes to detect the type */
export const HEAD_BYTES = 64;

/** Detects the type by the first bytes, independent of the file's name and stated type. Returns null for other types. */
export function imageTypeOf(head: Buffer): ImageType | null {
  const startsWith = (bytes: string, at = 0): boolean => head.toString('latin1', at, at + bytes.length) === bytes;
  if (startsWith('\xff\xd8\xff')) return 'jpeg';
  if (startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (startsWith('GIF87a') || startsWith('GIF89a')) return 'gif';
  if (startsWith('RIFF') && startsWith('WEBP', 8)) return 'webp';
  return startsWith('ftyp', 4) && brandsOf(head).some((brand) => brand === 'avif' || brand === 'avis') ? 'avif' : null;
}

/** Returns the brands in the first box of an ISO base media file: the major and the compatible brands, four letters each. */
function brandsOf(head: Buffer): string[] {
  const end = Math.min(head.length, head.readUInt32BE(0));
  const brands: string[] = [];
  // A version number separates the major brand from the compatible brands.
  for (let at = 8; at + 4 <= end; at += 4) if (at !== 12) brands.push(head.toString('latin1', at, at + 4));
  return brands;
}
