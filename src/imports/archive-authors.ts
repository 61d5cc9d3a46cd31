import { findFormat } from './import-reader.js';
import { openArchive } from './open-archive.js';

/**
 * Returns the number of posts of each author of an archive, with '' for posts without author. Reads the whole archive.
 * @throws CodedError `invalid_archive`
 */
export async function countByAuthor(path: string): Promise<Map<string, number>> {
  const archive = await openArchive(path);
  try {
    const counts = new Map<string, number>();
    const format = await findFormat(archive, null);
    for await (const item of format?.posts(archive) ?? [])
      if (!('code' in item)) counts.set(item.author ?? '', (counts.get(item.author ?? '') ?? 0) + 1);
    return counts;
  } finally {
    archive.close();
  }
}
