import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = '/sys/fs/cgroup';
/** The files of both versions of the kernel's interface. */
const VERSIONS = [
  { root: ROOT, marker: 'cgroup.controllers', limit: 'memory.max', peak: 'memory.peak', events: 'memory.events' },
  {
    root: join(ROOT, 'memory'),
    marker: 'memory.limit_in_bytes',
    limit: 'memory.limit_in_bytes',
    peak: 'memory.max_usage_in_bytes',
    events: 'memory.oom_control',
  },
];

/** A memory cgroup of Linux, as of a container with this limit. Needs root. */
export class MemoryGroup {
  private constructor(
    private readonly path: string,
    private readonly files: (typeof VERSIONS)[number],
  ) {}

  /** @throws Error if the kernel or the rights of this user do not allow it */
  static create(limitBytes: number): MemoryGroup {
    const files = VERSIONS.find(({ root, marker }) => existsSync(join(root, marker)));
    if (files === undefined) throw new Error(`${ROOT} has no memory controller: run this suite on Linux.`);
    const group = new MemoryGroup(join(files.root, `opencanvas-benchmark-${process.pid}`), files);
    mkdirSync(group.path);
    writeFileSync(join(group.path, files.limit), String(limitBytes));
    return group;
  }

  /** Runs the command that follows it in this group. */
  get command(): string[] {
    return ['/bin/sh', '-c', `echo $$ > '${join(this.path, 'cgroup.procs')}' && exec "$@"`, 'sh'];
  }

  get peakBytes(): number {
    return Number(this.read(this.files.peak));
  }

  /** number of processes that the kernel ended for memory */
  get kills(): number {
    return Number(/^oom_kill (\d+)$/m.exec(this.read(this.files.events))![1]);
  }

  /** Its processes must have ended. */
  delete(): void {
    rmdirSync(this.path);
  }

  private read(file: string): string {
    return readFileSync(join(this.path, file), 'utf8');
  }
}
