import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { runCommand } from './run-command.js';

export interface ProcessInfo {
  pid: number;
  parentPid: number;
  command: string;
  /** Distinguishes the process from a later one with the same pid: clock ticks since the machine started, or a date. */
  startTime: string;
}

/** `starttime` of proc(5), counted from the state */
const STARTTIME_AT = 19;
/** `utime` and `stime` of proc(5), counted from the state, in clock ticks */
const CPU_AT = 11;
const CLOCK_TICK_MS = 10;
/** `Mon Nov 23 11:45:12 2026` */
const LSTART_LENGTH = 24;

/** Reads the process information of the operating system. Returns null for a missing process or a zombie. */
export async function readProcessInfo(pid: number): Promise<ProcessInfo | null> {
  if (process.platform !== 'linux') return readWithPs(pid);
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // "pid (name) state ppid …"; the name may contain spaces and brackets
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, parentPid] = fields;
    if (state === 'Z' || state === 'X') return null;
    const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ').trim();
    return { pid, parentPid: Number(parentPid), command, startTime: fields[STARTTIME_AT]! };
  } catch {
    return null;
  }
}

/** Reads the CPU time that a process has used, in milliseconds. Returns null for a missing process. */
export async function readCpuMs(pid: number): Promise<number | null> {
  try {
    if (process.platform !== 'linux') {
      const { output } = await runCommand('ps', ['-o', 'time=', '-p', String(pid)], { timeoutMs: 5_000 });
      return cpuMsOf(output);
    }
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[CPU_AT]) + Number(fields[CPU_AT + 1])) * CLOCK_TICK_MS;
  } catch {
    return null;
  }
}

/** @param time of `ps`: `[[days-]hours:]minutes:seconds`; null if there is none */
export function cpuMsOf(time: string): number | null {
  const parts = time.trim().split(/[-:]/).map(Number);
  if (parts.length < 2 || parts.some(Number.isNaN)) return null;
  const [seconds = 0, minutes = 0, hours = 0, days = 0] = parts.reverse();
  return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000;
}

async function readWithPs(pid: number): Promise<ProcessInfo | null> {
  const { isDone, output } = await runCommand('ps', ['-ww', '-o', 'ppid=,stat=,lstart=,command=', '-p', String(pid)], {
    timeoutMs: 5_000,
  });
  const match = /^(\d+)\s+(\S+)\s+(\S.*)/.exec(output.trim());
  if (!isDone || !match || match[2]?.startsWith('Z')) return null;
  const rest = match[3] ?? '';
  const [startTime, command] = [rest.slice(0, LSTART_LENGTH), rest.slice(LSTART_LENGTH).trim()];
  return { pid, parentPid: Number(match[1]), command, startTime };
}

/** The scope in which a pid is unique: this boot and pid namespace (two containers may share a host name), or else the host name. */
export async function readPidScope(): Promise<string> {
  const parts = [readFile('/proc/sys/kernel/random/boot_id', 'utf8'), readlink('/proc/self/ns/pid')];
  const [boot, namespace] = await Promise.all(parts.map((part) => part.catch(() => '')));
  return boot && namespace ? `${boot.trim()} ${namespace}` : hostname();
}

/** Sends a signal. Returns false when the process has already exited. */
export function signalProcess(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
