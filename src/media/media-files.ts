import type { Readable } from 'node:stream';
import { fileKey } from './file-key.js';
import type { Media } from './media.schema.js';

/** The storage of image files by their keys, shared by all hosts. */
export abstract class MediaFiles {
  /** Replaces the remains of an earlier attempt. */
  abstract put(key: string, path: string, type: string): Promise<void>;

  /** @param range from `start` to before `end` */
  abstract open(key: string, range: { start?: number; end?: number }): Readable | Promise<Readable>;

  /** Idempotent. */
  abstract delete(key: string): Promise<void>;

  /** Null when the complete file does not exist. */
  abstract findLength(key: string): Promise<number | null>;

  /** All existing files, including those of interrupted uploads. */
  abstract keys(): AsyncIterable<string>;
}

type NamedRow = Pick<Media, '_id' | 'secret' | 'type' | 'bytes' | 'variants'>;

/** The files of an image, the original first. */
export function filesOf({ _id, secret, type, bytes, variants }: NamedRow): { key: string; bytes: number }[] {
  const sizes = [{ width: null, bytes }, ...variants];
  return sizes.map(({ width, bytes }) => ({ key: fileKey(_id, secret, type, width), bytes }));
}
