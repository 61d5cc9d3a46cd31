import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';

/** What this host may use: the whole machine, or the limits of its container or systemd unit. */
export type Machine = {
  /** not always whole: `limits: cpu: 200m` is 0.2 */
  cpus: number;
  memoryBytes: number;
};

type ReadFile = (path: string) => string | undefined;

const MIB = 2 ** 20;
const DEFAULT_CACHE_BYTES = 128 * MIB;
/** Below this, several processes leave too little memory for the database and the cache. */
const MIN_CLUSTER_BYTES = 1.5 * 1024 * MIB;
/** Memory of the primary, the writer and the jobs process, and of a web worker without its cache. */
const CLUSTER_BYTES = 512 * MIB;
const WORKER_BYTES = 256 * MIB;

/** Node 20 ignores CPU quotas, and no version reads those of parent groups. */
export function readMachine(read: ReadFile = readText): Machine {
  const limits = { cpus: availableParallelism(), memoryBytes: totalmem() };
  // A line is `id:controllers:path`; version 2 has the id 0 and no controllers.
  for (const line of (read('/proc/self/cgroup') ?? '').split('\n')) {
    const [id, controllers = '', path = ''] = line.split(':');
    const root = `/sys/fs/cgroup/${controllers === 'cpu,cpuacct' ? 'cpu' : controllers}`.replace(/\/$/, '');
    for (const group of [root, ...withParents(path).map((name) => root + name)]) {
      if (id === '0') {
        const [quota, period] = read(`${group}/cpu.max`)?.split(' ') ?? [];
        limits.cpus = lower(limits.cpus, Number(quota) / Number(period));
        limits.memoryBytes = lower(limits.memoryBytes, Number(read(`${group}/memory.max`)));
      } else if (controllers.split(',').includes('cpu')) {
        const [quota, period] = ['quota', 'period'].map((name) => Number(read(`${group}/cpu.cfs_${name}_us`)));
        limits.cpus = lower(limits.cpus, quota! / period!);
      } else if (controllers === 'memory') {
        limits.memoryBytes = lower(limits.memoryBytes, Number(read(`${group}/memory.limit_in_bytes`)));
      }
    }
  }
  return limits;
}

/** The response cache of each web worker without CACHE_MAX_BYTES: a sixteenth of the memory, at most 128 MiB. */
export function cacheBytesOf({ memoryBytes }: Machine): number {
  return Math.min(DEFAULT_CACHE_BYTES, Math.floor(memoryBytes / 16));
}

/**
 * The number of web workers without HTTP_WORKERS: one per whole core, as far as the memory suffices. 1 runs everything in one process.
 * @param cacheBytes the cache of each web worker
 */
export function webWorkersOf({ cpus, memoryBytes }: Machine, cacheBytes: number): number {
  if (memoryBytes < MIN_CLUSTER_BYTES) return 1;
  const fitting = (memoryBytes - CLUSTER_BYTES) / (WORKER_BYTES + cacheBytes);
  return Math.max(1, Math.floor(Math.min(cpus, fitting)));
}

/** The memory of a host with web workers, without its database. */
export function clusterBytes(workers: number, cacheBytes: number): number {
  return CLUSTER_BYTES + workers * (WORKER_BYTES + cacheBytes);
}

/** For the log, for example `0.5 cores and 1.9 GiB`. */
export function describeMachine({ cpus, memoryBytes }: Machine): string {
  const count = Math.round(cpus * 100) / 100;
  return `${count} ${count === 1 ? 'core' : 'cores'} and ${(memoryBytes / 1024 / MIB).toFixed(1)} GiB`;
}

/** `/a/b` gives `/a` and `/a/b`. */
function withParents(path: string): string[] {
  const names = path.split('/').filter((name) => name !== '');
  return names.map((_, at) => `/${names.slice(0, at + 1).join('/')}`);
}

/** Ignores `max`, -1 and missing files. */
function lower(limit: number, found: number): number {
  return found > 0 && found < limit ? found : limit;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}
