import { accessSync, constants, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from './until.js';

const ROOT = '/sys/fs/cgroup/cpu';
/** the kernel's default */
const PERIOD_US = 100_000;
let groups = 0;

/** A cgroup (version 1) of Linux with a CPU quota, as of a container. */
export class CpuGroup {
  private constructor(private readonly path: string) {}

  /** false without root, and on systems with version 2 only */
  static get isAvailable(): boolean {
    try {
      accessSync(join(ROOT, 'cpu.cfs_quota_us'), constants.W_OK);
      return true;
    } catch {
      return false;
    }
  }

  static create(cores: number): CpuGroup {
    const group = new CpuGroup(join(ROOT, `opencanvas-test-${process.pid}-${groups++}`));
    mkdirSync(group.path);
    writeFileSync(join(group.path, 'cpu.cfs_quota_us'), String(cores * PERIOD_US));
    return group;
  }

  add(pids: readonly number[]): void {
    for (const pid of pids) move(pid, this.path);
  }

  /** Its processes, and those that they have started, may use all cores again. */
  async remove(): Promise<void> {
    await until(() => {
      const pids = readFileSync(join(this.path, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean);
      for (const pid of pids) move(Number(pid), ROOT);
      return pids.length === 0 || null;
    });
    rmdirSync(this.path);
  }
}

function move(pid: number, path: string): void {
  try {
    writeFileSync(join(path, 'cgroup.procs'), String(pid));
  } catch (error) {
    // The process has ended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
