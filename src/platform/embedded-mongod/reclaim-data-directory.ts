import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../../common/monotonic.js';
import { type MongodDirectory, readLockPid, readRunning, removeRunning } from './data-directory.js';
import { KEEPER_TITLE, type RunningMongod } from './keeper.js';
import { type ProcessInfo, readProcessInfo, signalProcess } from '../processes/process-info.js';

/** A mongod whose keeper is at work gets this long to come up, or to finish its shutdown. */
const SETTLE_TIMEOUT_MS = 30_000;
const TERM_TIMEOUT_MS = 20_000;
const POLL_MS = 50;

/**
 * Looks whether a mongod holds this data directory already. Answers the running one when another live process of this project keeps it
 * (a CLI command beside a server); waits for one that is starting or stopping; stops one whose keeper was killed; else null.
 */
export async function settleLeftoverMongod(
  directory: MongodDirectory,
  onProgress: (line: string) => void,
): Promise<RunningMongod | null> {
  const deadline = monotonicMs() + SETTLE_TIMEOUT_MS;
  for (;;) {
    const mongod = await findMongodOn(directory);
    if (!mongod) break;
    const parent = await readProcessInfo(mongod.parentPid);
    const isKept = parent?.command.includes(KEEPER_TITLE) ?? false;
    if (!isKept || monotonicMs() > deadline) {
      await stopMongodOn(directory, onProgress);
      break;
    }
    const running = await readRunning(directory);
    if (running?.mongodPid === mongod.pid && running.keeperPid === mongod.parentPid) return running;
    await sleep(POLL_MS);
  }
  await removeRunning(directory);
  return null;
}

/** Shuts down the mongod that holds this data directory (or only the one with this pid): SIGTERM, then SIGKILL; returns once it is gone. */
export async function stopMongodOn(
  directory: MongodDirectory,
  onProgress: (line: string) => void,
  onlyPid?: number,
): Promise<void> {
  const deadline = monotonicMs() + TERM_TIMEOUT_MS;
  let askedPid: number | undefined;
  for (;;) {
    const mongod = await findMongodOn(directory);
    if (!mongod || (onlyPid !== undefined && mongod.pid !== onlyPid)) return;
    if (askedPid !== mongod.pid) {
      onProgress(`Stopping a mongod (pid ${mongod.pid}) that an earlier run left behind on ${directory.root} …`);
      signalProcess(mongod.pid, 'SIGTERM');
      askedPid = mongod.pid;
    } else if (monotonicMs() > deadline) {
      signalProcess(mongod.pid, 'SIGKILL');
    }
    await sleep(POLL_MS);
  }
}

/** The lock file of a crashed run may name a process that is something else by now, so the command line must name the directory. */
async function findMongodOn(directory: MongodDirectory): Promise<ProcessInfo | null> {
  const pid = await readLockPid(directory);
  const process = pid === null ? null : await readProcessInfo(pid);
  return process?.command.includes(directory.dbPath) ? process : null;
}
