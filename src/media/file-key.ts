import { ObjectId } from 'mongodb';
import { FILE_KEY, FILE_KEY_ANYWHERE } from '../common/own-files.js';

/** The name of a stored file: `<id>-<secret>.jpg` for the image itself, `<id>-<secret>-640.webp` for a smaller size. */
export type FileKey = { key: string; id: ObjectId; secret: string; width: number | null };

/** An image in Markdown by its id: `![a table](media:6650c3a2f1d2b3c4d5e6f70c)`. */
const BY_ID = /\bmedia:([0-9a-f]{24})(?![0-9a-f])/g;
/** maximum number of references per text; further references are ignored */
const MAX_NAMED = 500;

const EXTENSIONS = { 'image/jpeg': 'jpg', 'image/png': 'png', 'image/webp': 'webp' } as const;
export type FileType = keyof typeof EXTENSIONS;
export const FILE_TYPES = Object.keys(EXTENSIONS) as FileType[];

/** @param width of a smaller size, which is WebP; null: the image itself */
export function fileKey(id: ObjectId, secret: string, type: FileType, width: number | null): string {
  const name = `${id.toHexString()}-${secret}`;
  return width === null ? `${name}.${EXTENSIONS[type]}` : `${name}-${width}.webp`;
}

/** Returns null if the key does not name a file of this server. */
export function parseFileKey(key: string): FileKey | null {
  if (!FILE_KEY.test(key)) return null;
  const [name] = key.split('.');
  const [id, secret, width] = name!.split('-');
  const ofWidth = width === undefined ? null : Number(width);
  return { key, id: ObjectId.createFromHexString(id!), secret: secret!, width: ofWidth };
}

/** Returns the unique hex ids of the images that texts reference by id, or by the URL of a file on any host. */
export function imageIdsIn(texts: readonly (string | null | undefined)[]): string[] {
  const ids = new Set<string>();
  for (const text of texts) {
    for (const pattern of [FILE_KEY_ANYWHERE, BY_ID]) {
      for (const [, id] of text?.matchAll(pattern) ?? []) {
        if (ids.size === MAX_NAMED) break;
        ids.add(id!);
      }
    }
  }
  return [...ids];
}
