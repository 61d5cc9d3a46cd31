import type { Binary } from 'mongodb';
import { decompressBody } from '../rendering/body-codec.js';

/** The Markdown of a row of `post_bodies`. */
export function markdownOf(row: Record<string, unknown>): string {
  const { codec, rawLength, bytes } = row as { codec: string; rawLength: number; bytes: Binary };
  return decompressBody({ codec, rawLength, bytes: bytes.buffer });
}
