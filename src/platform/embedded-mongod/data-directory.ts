import { access, constants, mkdir, open, readFile, realpath, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupError } from '../../common/errors.js';
import type { RunningMongod } from './keeper.js';

/** Where an embedded mongod keeps what it has; everything lives under one directory that can be removed as a whole. */
export interface MongodDirectory {
  root: string;
  dbPath: string;
  logFile: string;
  keeperLogFile: string;
  /** the port of the last start, so that addresses survive restarts */
  portFile: string;
  runningFile: string;
  /** what clients sign in with, and the key file by which mongod asks for it */
  passwordFile: string;
}

const LEAST_FREE_BYTES = 200 * 2 ** 20;

/** Creates the directory, or says in one sentence why mongod could not live in it. */
export async function openMongodDirectory(path: string): Promise<MongodDirectory> {
  try {
    await mkdir(join(path, 'db'), { recursive: true });
    const root = await realpath(path);
    await access(join(root, 'db'), constants.R_OK | constants.W_OK | constants.X_OK);
    await access(root, constants.W_OK);
    const { bavail, bsize } = await statfs(root);
    if (bavail * bsize < LEAST_FREE_BYTES) {
      throw new StartupError(
        `The disk of the data directory ${root} has less than ${LEAST_FREE_BYTES / 2 ** 20} MiB free: make room, or move the directory.`,
      );
    }
    const file = (name: string) => join(root, name);
    const directory = {
      root,
      dbPath: file('db'),
      logFile: file('mongod.log'),
      keeperLogFile: file('keeper.log'),
      portFile: file('port'),
      runningFile: file('running.json'),
      passwordFile: file('password'),
    };
    return directory;
  } catch (error) {
    if (error instanceof StartupError) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    const reason =
      {
        EACCES: 'this account may not write there',
        EROFS: 'it is on a read-only file system',
        ENOSPC: 'the disk is full',
        ENOTDIR: 'a part of the path is a file',
        EEXIST: 'it is a file',
      }[code] ?? code;
    throw new StartupError(`The data directory ${path} cannot be used: ${reason}.`);
  }
}

export async function readPort(directory: MongodDirectory): Promise<number | undefined> {
  const port = Number(await readFile(directory.portFile, 'utf8').catch(() => ''));
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
}

export async function writePort(directory: MongodDirectory, port: number): Promise<void> {
  await writeFile(directory.portFile, `${port}\n`);
}

export async function readRunning(directory: MongodDirectory): Promise<RunningMongod | null> {
  try {
    return JSON.parse(await readFile(directory.runningFile, 'utf8')) as RunningMongod;
  } catch {
    return null;
  }
}

export async function removeRunning(directory: MongodDirectory): Promise<void> {
  await rm(directory.runningFile, { force: true });
}

/** The pid mongod itself leaves in its lock file while it runs. */
export async function readLockPid(directory: MongodDirectory): Promise<number | null> {
  const pid = Number(await readFile(join(directory.dbPath, 'mongod.lock'), 'utf8').catch(() => ''));
  return Number.isInteger(pid) && pid > 0 ? pid : null;
}

/** The reasons mongod gave in its log since `from` (a byte offset), the gravest ones only. */
export async function readLogErrors(directory: MongodDirectory, from: number): Promise<string[]> {
  const file = await open(directory.logFile, 'r').catch(() => null);
  if (!file) return [];
  try {
    const { size } = await file.stat();
    // a log that is shorter now is a new one
    const start = Math.max(from > size ? 0 : from, size - 256 * 1024);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.max(0, size - start)), 0, null, start);
    return buffer.toString('utf8', 0, bytesRead).split('\n').flatMap(readErrorLine);
  } finally {
    await file.close();
  }
}

function readErrorLine(line: string): string[] {
  try {
    const entry = JSON.parse(line) as { s: string; msg: string; attr?: { error?: unknown; message?: unknown } };
    if (entry.s !== 'E' && entry.s !== 'F') return [];
    const detail = entry.attr?.error ?? entry.attr?.message;
    // fassert prints this line last, after the one that says why
    if (entry.msg.includes('aborting after fassert') || entry.msg === 'Fatal assertion') return [];
    const text =
      detail === undefined
        ? entry.msg
        : `${entry.msg}: ${typeof detail === 'string' ? detail : JSON.stringify(detail)}`;
    return [text.replace(/\s+/g, ' ').trim().slice(0, 300)];
  } catch {
    return [];
  }
}

export async function readLogSize(directory: MongodDirectory): Promise<number> {
  return (await stat(directory.logFile).catch(() => null))?.size ?? 0;
}
