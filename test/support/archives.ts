import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Archive, ArchivePost, ArchiveProblem } from '../../src/imports/archive.js';
import { ARCHIVE_FORMATS } from '../../src/imports/formats/archive-formats.js';

const PART_BYTES = 65_536;
const FOLDER = join(import.meta.dirname, '../data/archives');

export function archiveOf(files: Readonly<Record<string, Buffer | string>>, address: string | null = null): Archive {
  const contents = new Map(Object.entries(files).map(([path, content]) => [path, Buffer.from(content as Buffer)]));
  return {
    address,
    entries: [...contents].map(([path, { length: size }]) => ({ path, size })),
    async *open(path) {
      const bytes = contents.get(path)!;
      for (let at = 0; at < bytes.length; at += PART_BYTES) yield bytes.subarray(at, at + PART_BYTES);
    },
  };
}

/** Returns a folder of `test/data/archives` as a ZIP of it. */
export function goldenFiles(platform: string): Record<string, Buffer> {
  const root = join(FOLDER, platform);
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort();
  return Object.fromEntries(paths.map((path) => [path.slice(root.length + 1), readFileSync(path)]));
}

export type ReadArchive = { format: string | null; posts: ArchivePost[]; problems: ArchiveProblem[] };

/** Reads all of an archive by the first format that recognises it. */
export async function readArchive(archive: Archive): Promise<ReadArchive> {
  const result: ReadArchive = { format: null, posts: [], problems: [] };
  for (const format of ARCHIVE_FORMATS)
    if (await format.recognises(archive)) {
      result.format = format.name;
      for await (const one of format.posts(archive))
        if ('code' in one) result.problems.push(one);
        else result.posts.push(one);
      break;
    }
  return result;
}
