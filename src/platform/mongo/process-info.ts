import { readFile } from 'node:fs/promises';
import { runCommand } from './run-command.js';

export interface ProcessInfo {
  pid: number;
  parentPid: number;
  command: string;
}

/** What the operating system says of a process; null when there is none (a zombie counts as none). */
export async function readProcessInfo(pid: number): Promise<ProcessInfo | null> {
  if (process.platform !== 'linux') return readWithPs(pid);
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // "pid (name) state ppid …"; the name may hold spaces and brackets
    const [state, parentPid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || state === 'X') return null;
    const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ').trim();
    return { pid, parentPid: Number(parentPid), command };
  } catch {
    return null;
  }
}

async function readWithPs(pid: number): Promise<ProcessInfo | null> {
  const { code, output } = await runCommand('ps', ['-ww', '-o', 'ppid=,stat=,command=', '-p', String(pid)], {
    timeoutMs: 5_000,
  });
  const match = /^(\d+)\s+(\S+)\s+(\S.*)/.exec(output.trim());
  if (code !== 0 || !match || match[2]?.startsWith('Z')) return null;
  return { pid, parentPid: Number(match[1]), command: match[3] ?? '' };
}

/** Sends a signal; false when the process is gone already. */
export function signalProcess(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
