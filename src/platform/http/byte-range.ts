/** From `start` to before `end`. */
export type ByteRange = { start: number; end: number };

const ONE_RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/** The requested range of a Range header; null: the whole file, also for several ranges. 'none': the range is outside of the file. */
export function byteRangeOf(header: string | undefined, bytes: number): ByteRange | 'none' | null {
  const [, first, last] = ONE_RANGE.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return null;
  if (first === '') return Number(last) === 0 ? 'none' : { start: Math.max(0, bytes - Number(last)), end: bytes };
  if (last !== '' && Number(last) < Number(first)) return null;
  const end = last === '' ? bytes : Math.min(bytes, Number(last) + 1);
  return Number(first) < end ? { start: Number(first), end } : 'none';
}
