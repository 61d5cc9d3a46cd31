import { randomBytes } from 'node:crypto';
import { chmod, link, readFile, rm, writeFile } from 'node:fs/promises';
import type { MongodDirectory } from './data-directory.js';

/** The account of the application on its own mongod. */
export const MONGOD_ACCOUNT = 'opencanvas';

/** null: the data directory has no password yet, and a mongod that runs on it asks for none. */
export async function readPassword(directory: MongodDirectory): Promise<string | null> {
  return (await readFile(directory.passwordFile, 'utf8').catch(() => '')).trim() || null;
}

/** Made once and kept beside the data, readable by its owner only; mongod refuses a key file that others may read. */
export async function ensurePassword(directory: MongodDirectory): Promise<string> {
  const { passwordFile } = directory;
  if ((await readPassword(directory)) === null) {
    const draft = `${passwordFile}.${randomBytes(6).toString('hex')}`;
    await writeFile(draft, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
    // never replaces the one that another process made meanwhile, and is whole for all who read it
    await link(draft, passwordFile).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await rm(draft);
  }
  // a copy from a backup may have lost its mode
  await chmod(passwordFile, 0o600);
  return (await readPassword(directory))!;
}
