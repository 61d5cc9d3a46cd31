import { randomBytes } from 'node:crypto';
import { compressBody, decompressBody } from '../../src/rendering/body-codec.js';

/** @returns how many texts were packed and unpacked within `ms`, and how many of them came back as something else */
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
