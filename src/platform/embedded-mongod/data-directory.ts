import { randomBytes } from 'node:crypto';
import {
  access,
  chmod,
  constants,
  link,
  mkdir,
  open,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  statfs,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { StartupError } from '../../common/errors.js';
import { type ProcessInfo, readProcessInfo } from '../processes/process-info.js';

/** With less space, mongod can write neither its journal nor an error to its log. */
const FULL_DISK_BYTES = 32 * 2 ** 20;
const MAX_LOG_BYTES = 20 * 2 ** 20;
const LOG_TAIL_BYTES = 256 * 1024;

/** Creates a missing directory. Returns its real path. @throws StartupError when it is not writable */
export async function requireDirectory(path: string): Promise<string> {
  try {
    await mkdir(path, { recursive: true });
    const root = await realpath(path);
    await access(root, constants.R_OK | constants.W_OK | constants.X_OK);
    return root;
  } catch (error) {
    throw new StartupError(`The data directory ${path} cannot be used: ${(error as Error).message}.`, error);
  }
}

/** The files of an embedded mongod, under one directory that can be deleted as a whole. */
export class DataDirectory {
  readonly dbPath: string;
  readonly logFile: string;
  /** the password of clients, and the key file that enables authentication in mongod */
  readonly passwordFile: string;
  private readonly portFile: string;
  private readonly ownerFile: string;

  private constructor(readonly root: string) {
    this.dbPath = join(root, 'db');
    this.logFile = join(root, 'mongod.log');
    this.passwordFile = join(root, 'password');
    this.portFile = join(root, 'port');
    this.ownerFile = join(root, 'owner');
  }

  /** @throws StartupError */
  static async open(path: string): Promise<DataDirectory> {
    const root = await requireDirectory(path);
    await requireDirectory(join(root, 'db'));
    return new DataDirectory(root);
  }

  /** Returns the port of the last start, so that addresses survive restarts; 0 if unknown. */
  readPort(): Promise<number> {
    return this.readNumber(this.portFile);
  }

  /** Returns the pid of the process that started mongod and uses it; 0 while mongod is not running or still starting. */
  readOwner(): Promise<number> {
    return this.readNumber(this.ownerFile);
  }

  async writeOwner(pid: number, port: number): Promise<void> {
    await writeFile(this.portFile, `${port}\n`);
    await writeFile(this.ownerFile, `${pid}\n`);
  }

  async deleteOwner(): Promise<void> {
    await rm(this.ownerFile, { force: true });
  }

  /** Returns the mongod that runs on this directory. The pid in its lock file may belong to another program now. */
  async findMongod(): Promise<ProcessInfo | null> {
    const pid = await this.readNumber(join(this.dbPath, 'mongod.lock'));
    const process = pid === 0 ? null : await readProcessInfo(pid);
    return process?.command.includes(this.dbPath) ? process : null;
  }

  /** Creates the password once, readable only by its owner, because mongod rejects a key file that others may read. */
  async ensurePassword(): Promise<string> {
    const draft = `${this.passwordFile}.${randomBytes(6).toString('hex')}`;
    await writeFile(draft, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
    // Never replaces an existing password.
    await link(draft, this.passwordFile).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await rm(draft);
    // A copy from a backup may have lost its mode.
    await chmod(this.passwordFile, 0o600);
    return (await readFile(this.passwordFile, 'utf8')).trim();
  }

  /** Renames a large log to `mongod.log.1`. Returns the size of the current log. */
  async rotateLog(): Promise<number> {
    const size = (await stat(this.logFile).catch(() => null))?.size ?? 0;
    if (size < MAX_LOG_BYTES) return size;
    await rename(this.logFile, `${this.logFile}.1`);
    return 0;
  }

  /** Returns why mongod exited: the last error in its log since `from` (a byte offset), or a full disk that prevents logging. */
  async readFailure(from: number): Promise<string | undefined> {
    const { bavail, bsize } = await statfs(this.root);
    if (bavail * bsize < FULL_DISK_BYTES) return `no space left on ${this.root}`;
    const file = await open(this.logFile, 'r').catch(() => null);
    if (file === null) return undefined;
    try {
      const { size } = await file.stat();
      const start = Math.max(from, size - LOG_TAIL_BYTES);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.max(0, size - start)), 0, null, start);
      return buffer.toString('utf8', 0, bytesRead).split('\n').flatMap(readErrorLine).at(-1);
    } finally {
      await file.close();
    }
  }

  private async readNumber(file: string): Promise<number> {
    return Number.parseInt(await readFile(file, 'utf8').catch(() => ''), 10) || 0;
  }
}

function readErrorLine(line: string): string[] {
  // `fassert` logs this line last, after the line with the reason.
  if (!/^\{.*"s":"[EF]".*\}$/.test(line) || /aborting after fassert|"Fatal assertion"/.test(line)) return [];
  const { msg, attr } = JSON.parse(line) as { msg: string; attr?: { error?: unknown; message?: unknown } };
  const detail = attr?.error ?? attr?.message ?? '';
  const text = `${msg}: ${typeof detail === 'string' ? detail : JSON.stringify(detail)}`;
  return [text.replace(/\s+/g, ' ').replace(/: $/, '').trim().slice(0, 300)];
}
