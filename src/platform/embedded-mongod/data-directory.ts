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
  rm,
  stat,
  statfs,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { StartupError } from '../../common/errors.js';
import type { RunningMongod } from './keeper.js';

const LEAST_FREE_BYTES = 200 * 2 ** 20;
const LOG_TAIL_BYTES = 256 * 1024;

const REASONS: Record<string, string> = {
  EACCES: 'this account may not write there',
  EROFS: 'it is on a read-only file system',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'it is a file',
};

/** Creates it where it is missing. Returns its real path. @throws StartupError when files cannot be written into it */
export async function requireDirectory(path: string): Promise<string> {
  try {
    await mkdir(path, { recursive: true });
    const root = await realpath(path);
    await access(root, constants.R_OK | constants.W_OK | constants.X_OK);
    return root;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new StartupError(`The data directory ${path} cannot be used: ${REASONS[code] ?? code}.`, error);
  }
}

/** What an embedded mongod keeps, under one directory that can be removed as a whole. */
export class DataDirectory {
  readonly dbPath: string;
  readonly logFile: string;
  readonly keeperLogFile: string;
  readonly runningFile: string;
  /** what clients sign in with, and the key file by which mongod asks for it */
  readonly passwordFile: string;
  private readonly portFile: string;

  private constructor(readonly root: string) {
    this.dbPath = join(root, 'db');
    this.logFile = join(root, 'mongod.log');
    this.keeperLogFile = join(root, 'keeper.log');
    this.runningFile = join(root, 'running.json');
    this.passwordFile = join(root, 'password');
    this.portFile = join(root, 'port');
  }

  /** @throws StartupError of one sentence when mongod could not live there */
  static async open(path: string): Promise<DataDirectory> {
    const root = await requireDirectory(path);
    await requireDirectory(join(root, 'db'));
    const { bavail, bsize } = await statfs(root);
    if (bavail * bsize < LEAST_FREE_BYTES) {
      throw new StartupError(
        `The disk of the data directory ${root} has less than ${LEAST_FREE_BYTES / 2 ** 20} MiB free: make room, or move the directory.`,
      );
    }
    return new DataDirectory(root);
  }

  /** The port of the last start, so that addresses survive restarts. */
  async readPort(): Promise<number | undefined> {
    const port = Number(await this.read(this.portFile));
    return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
  }

  async writePort(port: number): Promise<void> {
    await writeFile(this.portFile, `${port}\n`);
  }

  async readRunning(): Promise<RunningMongod | null> {
    const text = await this.read(this.runningFile);
    return text === '' ? null : (JSON.parse(text) as RunningMongod);
  }

  async removeRunning(): Promise<void> {
    await rm(this.runningFile, { force: true });
  }

  /** The pid mongod itself leaves in its lock file while it runs. */
  async readLockPid(): Promise<number | null> {
    const pid = Number(await this.read(join(this.dbPath, 'mongod.lock')));
    return Number.isInteger(pid) && pid > 0 ? pid : null;
  }

  /** null: the directory has no password yet, and a mongod that runs on it asks for none. */
  async readPassword(): Promise<string | null> {
    return (await this.read(this.passwordFile)).trim() || null;
  }

  /** Made once and readable by its owner only: mongod refuses a key file that others may read. */
  async ensurePassword(): Promise<string> {
    if ((await this.readPassword()) === null) {
      const draft = `${this.passwordFile}.${randomBytes(6).toString('hex')}`;
      await writeFile(draft, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
      // never replaces the one that another process has just made
      await link(draft, this.passwordFile).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
      });
      await rm(draft);
    }
    // a copy from a backup may have lost its mode
    await chmod(this.passwordFile, 0o600);
    return (await this.readPassword())!;
  }

  async readLogSize(): Promise<number> {
    return (await stat(this.logFile).catch(() => null))?.size ?? 0;
  }

  /** The reasons mongod gave in its log since `from` (a byte offset), the gravest ones only. */
  async readLogErrors(from: number): Promise<string[]> {
    const file = await open(this.logFile, 'r').catch(() => null);
    if (!file) return [];
    try {
      const { size } = await file.stat();
      // a log that is shorter now is a new one
      const start = Math.max(from > size ? 0 : from, size - LOG_TAIL_BYTES);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.max(0, size - start)), 0, null, start);
      return buffer.toString('utf8', 0, bytesRead).split('\n').flatMap(readErrorLine);
    } finally {
      await file.close();
    }
  }

  private read(file: string): Promise<string> {
    return readFile(file, 'utf8').catch(() => '');
  }
}

function readErrorLine(line: string): string[] {
  try {
    const entry = JSON.parse(line) as { s: string; msg: string; attr?: { error?: unknown; message?: unknown } };
    // fassert prints this line last, after the one that says why
    const isReason = 'EF'.includes(entry.s) && !/aborting after fassert|^Fatal assertion$/.test(entry.msg);
    if (!isReason) return [];
    const detail = entry.attr?.error ?? entry.attr?.message ?? '';
    const text = `${entry.msg}: ${typeof detail === 'string' ? detail : JSON.stringify(detail)}`;
    return [text.replace(/\s+/g, ' ').replace(/: $/, '').trim().slice(0, 300)];
  } catch {
    return [];
  }
}
