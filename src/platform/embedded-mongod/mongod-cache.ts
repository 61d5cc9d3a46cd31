import { chmod, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Moves a finished binary to `<cacheDir>/mongod-<version>/mongod`; returns that path. The last step is one rename, so that
 * two processes that fetch at once, or one that is killed half-way, never leave a torn binary: the second rename just wins.
 */
export async function publishMongod(binary: string, cacheDir: string, version: string): Promise<string> {
  const directory = join(cacheDir, `mongod-${version}`);
  const staging = await mkdtemp(join(cacheDir, 'publish-'));
  try {
    await rename(binary, join(staging, 'mongod'));
    await chmod(join(staging, 'mongod'), 0o755);
    await chmod(staging, 0o755);
    await rename(staging, directory).catch(async () => {
      // The directory is there already (another process was quicker, or an old copy is broken): replace the file in it.
      await rename(join(staging, 'mongod'), join(directory, 'mongod'));
    });
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  return join(directory, 'mongod');
}
