import { setTimeout as sleep } from 'node:timers/promises';
import { type ProcessInfo, readProcessInfo, signalProcess } from '../processes/process-info.js';
import type { DataDirectory } from './data-directory.js';
import { KEEPER_TITLE, type RunningMongod } from './keeper.js';

/** A mongod whose keeper is at work gets this long to come up, or to finish its shutdown. */
const SETTLE_TIMEOUT_MS = 30_000;
const TERM_TIMEOUT_MS = 20_000;
const POLL_MS = 50;

/**
 * The mongod that another live process of this project keeps on this directory, or null once the directory is free: waits for one that
 * is starting or stopping, and stops one whose keeper was killed.
 */
export async function reclaimDataDirectory(
  directory: DataDirectory,
  onProgress: (line: string) => void,
): Promise<RunningMongod | null> {
  const deadline = performance.now() + SETTLE_TIMEOUT_MS;
  for (;;) {
    const mongod = await findMongodOn(directory);
    if (!mongod) break;
    const parent = await readProcessInfo(mongod.parentPid);
    const isKept = parent?.command.includes(KEEPER_TITLE) ?? false;
    if (!isKept || performance.now() > deadline) {
      onProgress(`Stopping a mongod (pid ${mongod.pid}) that an earlier run left behind on ${directory.root} …`);
      await stopMongod(directory, mongod.pid);
      continue;
    }
    const running = await directory.readRunning();
    if (running?.mongodPid === mongod.pid && running.keeperPid === mongod.parentPid) return running;
    await sleep(POLL_MS);
  }
  await directory.removeRunning();
  return null;
}

/** SIGTERM, then SIGKILL to the mongod of this pid, if it still holds the directory; returns once it is gone. */
export async function stopMongod(directory: DataDirectory, pid: number): Promise<void> {
  const deadline = performance.now() + TERM_TIMEOUT_MS;
  if ((await findMongodOn(directory))?.pid === pid) signalProcess(pid, 'SIGTERM');
  while ((await findMongodOn(directory))?.pid === pid) {
    if (performance.now() > deadline) signalProcess(pid, 'SIGKILL');
    await sleep(POLL_MS);
  }
}

/** The lock file of a crashed run may name a process that is something else by now, so the command line must name the directory. */
async function findMongodOn(directory: DataDirectory): Promise<ProcessInfo | null> {
  const pid = await directory.readLockPid();
  const process = pid === null ? null : await readProcessInfo(pid);
  return process?.command.includes(directory.dbPath) ? process : null;
}
