import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Only these files are deleted, so that a directory may contain others. */
const NAME = /^opencanvas-\d{4}-\d{2}-\d{2}T\d{6}Z\.backup$/;
const INCOMPLETE = /^opencanvas-\d{4}-\d{2}-\d{2}T\d{6}Z\.backup\.partial$/;

/** Returns a name that sorts by time, for example `opencanvas-2026-11-29T031700Z.backup`. */
export function backupFileName(now: Date): string {
  return `opencanvas-${now.toISOString().slice(0, 19).replaceAll(':', '')}Z.backup`;
}

/** Deletes all but the newest backups, and what killed commands left. Returns the names of the deleted files. */
export async function deleteOldBackups(directory: string, keep: number): Promise<string[]> {
  const names = await readdir(directory);
  const complete = names.filter((name) => NAME.test(name)).sort();
  const old = [...complete.slice(0, -keep), ...names.filter((name) => INCOMPLETE.test(name))];
  for (const name of old) await rm(join(directory, name), { force: true });
  return old;
}
