import { randomBytes } from 'node:crypto';
import { compressBody, decompressBody } from '../../src/rendering/body-codec.js';

/** @returns the number of texts compressed and decompressed within `ms`, and the number of wrong results */
export function roundTrips(ms: number): { count: number; wrong: number } {
  const end = performance.now() + ms;
  const result = { count: 0, wrong: 0 };
  while (performance.now() < end) {
    const text = randomBytes(20_000).toString('base64');
    result.count++;
    if (decompressBody(compressBody(text)) !== text) result.wrong++;
  }
  return result;
}
