import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RestartOutcome } from './supervisor.js';

/** What a running server leaves in the data directory so that the CLI finds it. */
export type HostRecord = {
  pid: number;
  host: string;
  port: number;
  startedAt: string;
  /** the last rolling restart and how it went */
  restart?: RestartOutcome & { askedAt: string };
};

function directory(dataDir: string): string {
  return join(dataDir, 'run');
}

function file(dataDir: string, pid: number): string {
  return join(directory(dataDir), `${pid}.json`);
}

/** Best effort: a data directory that cannot be written costs the `restart` command, not the server. */
export function writeHostRecord(dataDir: string, record: HostRecord): void {
  try {
    mkdirSync(directory(dataDir), { recursive: true });
    const target = file(dataDir, record.pid);
    writeFileSync(`${target}.new`, JSON.stringify(record));
    renameSync(`${target}.new`, target);
  } catch {
    // see above
  }
}

export function removeHostRecord(dataDir: string, pid: number): void {
  rmSync(file(dataDir, pid), { force: true });
}

/** The servers that run on this data directory now; records of dead ones are removed. */
export function readHostRecords(dataDir: string): HostRecord[] {
  let names: string[];
  try {
    names = readdirSync(directory(dataDir)).filter((name) => /^\d+\.json$/.test(name));
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const pid = Number.parseInt(name, 10);
    try {
      if (isServer(pid)) return [JSON.parse(readFileSync(file(dataDir, pid), 'utf8')) as HostRecord];
      removeHostRecord(dataDir, pid);
    } catch {
      // removed by its owner meanwhile
    }
    return [];
  });
}

/** Alive, and (where /proc can tell) a node process: pids are reused. */
function isServer(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('js');
  } catch {
    return true;
  }
}
