/** From `start`, up to and without `end`. */
export type ByteRange = { start: number; end: number };

const ONE_RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/** What a Range header asks for; null: all of it, also where it asks for what there is not, or for several parts. */
export function byteRangeOf(header: string | undefined, bytes: number): ByteRange | null {
  const [, first, last] = ONE_RANGE.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return null;
  if (first === '') return Number(last) === 0 ? null : { start: Math.max(0, bytes - Number(last)), end: bytes };
  const end = last === '' ? bytes : Math.min(bytes, Number(last) + 1);
  return Number(first) < end ? { start: Number(first), end } : null;
}
