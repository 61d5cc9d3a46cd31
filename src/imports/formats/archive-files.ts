import { CodedError } from '../../common/errors.js';
import type { Archive, ArchiveFormat, ArchivePost, ArchiveProblem } from '../archive.js';

export type Read = ArchivePost | ArchiveProblem;

/** Why a file, or the rest of it, does not become posts. */
export class EntryError extends Error {
  constructor(
    readonly code: string,
    detail: string,
  ) {
    super(detail);
  }
}

/** The longest file with a single post, in bytes. Posts have at most 200,000 characters. */
const MAX_POST_BYTES = 4_000_000;
/** By the beginning of a file, formats recognise it. */
const HEAD_BYTES = 65_536;
const MAX_TRIED = 200;
/** Texts of a repository or a theme, lists of Hugo, and folders of tools. */
const IGNORED =
  /(?:^|\/)(?:\.|(?:readme|license|changelog|contributing|_index)\.[^/]*$|(?:__MACOSX|node_modules|themes|_layouts|_includes)\/)/i;

/** Returns the files of the first pattern that any matches, or the only file, whose name means nothing. */
export function filesOf({ entries }: Archive, ...patterns: RegExp[]): string[] {
  const paths = entries.map(({ path }) => path);
  if (paths.length === 1) return paths;
  const files = patterns.map((one) => paths.filter((path) => one.test(path) && !IGNORED.test(path)));
  return files.find(({ length }) => length > 0) ?? [];
}

/**
 * Declares a format whose files match one of `patterns`, and begin with `head`. An archive with one such file is recognised. A file that
 * cannot be read becomes a problem, and the next one follows.
 */
export function formatOf(
  name: string,
  patterns: RegExp[],
  head: RegExp,
  read: (entry: string, archive: Archive) => AsyncIterable<Read> | Iterable<Read>,
): ArchiveFormat {
  const isOne = async (archive: Archive, path: string): Promise<boolean> => head.test(await headOf(archive, path));
  return {
    name,
    async recognises(archive) {
      for (const file of filesOf(archive, ...patterns).slice(0, MAX_TRIED)) if (await isOne(archive, file)) return true;
      return false;
    },
    async *posts(archive) {
      for (const entry of filesOf(archive, ...patterns))
        try {
          if (await isOne(archive, entry)) yield* read(entry, archive);
          else yield { entry, code: 'not_recognised', detail: 'The file is not of this format, and is left out.' };
        } catch (error) {
          yield problemOf(archive.address ?? entry, error);
        }
    },
  };
}

/** Returns the problem of a file. Rethrows an outage, after which the archive can be read again. */
export function problemOf(entry: string, error: unknown): ArchiveProblem {
  if (!(error instanceof EntryError || (error instanceof CodedError && error.status < 500))) throw error;
  return { entry, code: error.code, detail: error.message };
}

/**
 * Returns the text of a file with one post.
 * @throws EntryError `too_large`, `not_utf8`
 */
export async function textOf(archive: Archive, path: string): Promise<string> {
  const bytes = await bytesUntil(archive, path, MAX_POST_BYTES);
  if (bytes.length > MAX_POST_BYTES)
    throw new EntryError('too_large', `The file has more than ${MAX_POST_BYTES} bytes.`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new EntryError('not_utf8', 'The file is not text in UTF-8.');
  }
}

async function headOf(archive: Archive, path: string): Promise<string> {
  const bytes = await bytesUntil(archive, path, HEAD_BYTES);
  return bytes.toString('utf8', 0, HEAD_BYTES).replace(/^\uFEFF/, '');
}

/** Reads parts until there are more than `max` bytes. */
async function bytesUntil(archive: Archive, path: string, max: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of archive.open(path)) {
    parts.push(part);
    size += part.length;
    if (size > max) break;
  }
  return Buffer.concat(parts);
}
