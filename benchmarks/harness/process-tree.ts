import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** Linux counts CPU time in ticks of 10 ms (USER_HZ), independent of the kernel's timer frequency. */
const MICROS_PER_TICK = 10_000;
const BYTES_PER_PAGE = 4_096;

type ProcessStat = { pid: number; parent: number; ownTicks: number; reapedTicks: number; residentBytes: number };

/** Resources that a process and its descendants have used so far. */
export type TreeUsage = { cpuMicros: number; residentBytes: number; pids: number[] };

/**
 * Returns CPU time and resident memory of a process and its descendants. The parent's cutime and cstime include exited children, so a
 * cluster that replaces a worker loses nothing. All values are zero when the process has exited.
 */
export function readTreeUsage(rootPid: number): TreeUsage {
  const all = readAllProcesses();
  const usage: TreeUsage = { cpuMicros: 0, residentBytes: 0, pids: [] };
  const queue = [rootPid];
  for (let pid = queue.pop(); pid !== undefined; pid = queue.pop()) {
    const stat = all.get(pid);
    if (!stat) continue;
    usage.pids.push(pid);
    usage.cpuMicros += (stat.ownTicks + stat.reapedTicks) * MICROS_PER_TICK;
    usage.residentBytes += stat.residentBytes;
    for (const child of all.values()) if (child.parent === pid) queue.push(child.pid);
  }
  return usage;
}

/** Returns the memory of a process and its descendants, of which each counts its share of common pages (PSS). */
export async function proportionalBytes(rootPid: number): Promise<number> {
  const files = readTreeUsage(rootPid).pids.map((pid) => readFile(`/proc/${pid}/smaps_rollup`, 'latin1'));
  return (await Promise.all(files)).reduce((sum, text) => sum + 1_024 * Number(/^Pss:\s+(\d+)/m.exec(text)![1]), 0);
}

function readAllProcesses(): Map<number, ProcessStat> {
  const all = new Map<number, ProcessStat>();
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const stat = readStat(pid);
    if (stat) all.set(pid, stat);
  }
  return all;
}

function readStat(pid: number): ProcessStat | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return null; // The process ended between readdir and here.
  }
  return parseStat(pid, text);
}

/** Fields start after the last bracket, because the command name in brackets may contain brackets and spaces. */
export function parseStat(pid: number, text: string): ProcessStat {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const field = (number: number) => Number(fields[number - 3]); // Numbered as in proc(5), where field 3 is the state.
  return {
    pid,
    parent: field(4),
    ownTicks: field(14) + field(15),
    reapedTicks: field(16) + field(17),
    residentBytes: field(24) * BYTES_PER_PAGE,
  };
}
