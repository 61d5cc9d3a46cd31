import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readProcessInfo } from '../processes/process-info.js';
import type { RestartOutcome } from './supervisor.js';

/** What a running server leaves in the data directory so that the CLI finds it. */
export type HostRecord = {
  pid: number;
  /** of the process; none in a record of the first version */
  processStartTime?: string;
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
export async function readHostRecords(dataDir: string): Promise<HostRecord[]> {
  let names: string[];
  try {
    names = readdirSync(directory(dataDir)).filter((name) => /^\d+\.json$/.test(name));
  } catch {
    return [];
  }
  const records: HostRecord[] = [];
  for (const name of names) {
    const pid = Number.parseInt(name, 10);
    try {
      const record = JSON.parse(readFileSync(file(dataDir, pid), 'utf8')) as HostRecord;
      if (await isOf(record, pid)) records.push(record);
      else removeHostRecord(dataDir, pid);
    } catch {
      // removed by its owner meanwhile
    }
  }
  return records;
}

/** Whether the process of this pid is still the one that wrote the record: pids are used again. */
async function isOf({ processStartTime }: HostRecord, pid: number): Promise<boolean> {
  const process = await readProcessInfo(pid);
  return process !== null && (processStartTime === undefined || processStartTime === process.startTime);
}
