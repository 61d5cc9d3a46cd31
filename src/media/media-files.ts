import type { Readable } from 'node:stream';
import { fileKey } from './file-key.js';
import type { Media } from './media.schema.js';

/** Stores image files by key, shared by all hosts. */
export abstract class MediaFiles {
  /** Overwrites the file of an earlier attempt. */
  abstract put(key: string, path: string, type: string): Promise<void>;

  /** @param range from `start` (inclusive) to `end` (exclusive) */
  abstract open(key: string, range: { start?: number; end?: number }): Readable | Promise<Readable>;

  /** Idempotent. */
  abstract delete(key: string): Promise<void>;

  /** Returns null if the complete file does not exist. */
  abstract findLength(key: string): Promise<number | null>;

  /** Returns all existing files, including files of interrupted uploads. */
  abstract keys(): AsyncIterable<string>;
}

type NamedRow = Pick<Media, '_id' | 'secret' | 'type' | 'bytes' | 'variants'>;

/** Returns the files of an image, original first. */
export function filesOf({ _id, secret, type, bytes, variants }: NamedRow): { key: string; bytes: number }[] {
  const sizes = [{ width: null, bytes }, ...variants];
  return sizes.map(({ width, bytes }) => ({ key: fileKey(_id, secret, type, width), bytes }));
}
