import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readProcessInfo } from '../processes/process-info.js';
import type { RestartOutcome } from './supervisor.js';

/** A file in the data directory that lets the CLI find a running server. */
export type HostRecord = {
  pid: number;
  /** start time of the process, because a later process may reuse the pid */
  processStartTime: string | undefined;
  host: string;
  port: number;
  startedAt: string;
  /** path of the ControlSocket */
  control?: string | undefined;
  /** the last rolling restart and its outcome */
  restart?: RestartOutcome & { requestedAt: string };
};

function fileOf(dataDir: string, pid: number): string {
  return join(dataDir, 'run', `${pid}.json`);
}

/** Best effort: an unwritable data directory disables the `restart` command, not the server. */
export function writeHostRecord(dataDir: string, record: HostRecord): void {
  const file = fileOf(dataDir, record.pid);
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.new`, JSON.stringify(record));
    renameSync(`${file}.new`, file);
  } catch {
    // Best effort, see above.
  }
}

export function deleteHostRecord(dataDir: string, pid: number): void {
  try {
    rmSync(fileOf(dataDir, pid), { force: true });
  } catch {
    // The directory is unusable, which the start reports.
  }
}

/** Returns the running servers of this data directory. Deletes the records of exited servers. */
export async function readHostRecords(dataDir: string): Promise<HostRecord[]> {
  const records: HostRecord[] = [];
  for (const name of await readdir(join(dataDir, 'run')).catch(() => [])) {
    if (!/^\d+\.json$/.test(name)) continue;
    const pid = Number.parseInt(name, 10);
    try {
      const record = JSON.parse(readFileSync(fileOf(dataDir, pid), 'utf8')) as HostRecord;
      const process = await readProcessInfo(pid);
      if (process !== null && process.startTime === record.processStartTime) records.push(record);
      else deleteHostRecord(dataDir, pid);
    } catch {
      // The server has just exited and deleted its record.
    }
  }
  return records;
}
