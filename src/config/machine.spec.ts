import { availableParallelism, totalmem } from 'node:os';
import { cacheBytesOf, describeMachine, readMachine, webWorkersOf } from './machine.js';

const GIB = 2 ** 30;
const CACHE_BYTES = 128 * 2 ** 20;
const files = (contents: Record<string, string>) => (path: string) => contents[path];

describe('the machine', () => {
  it.each([
    [0.5, 32],
    [2, 128],
    [64, 128],
  ])('with %s GiB has a response cache of %s MiB', (memoryGib, mebibytes) => {
    expect(cacheBytesOf({ cpus: 1, memoryBytes: memoryGib * GIB })).toBe(mebibytes * 2 ** 20);
  });

  it('is the whole one without a cgroup', () => {
    expect(readMachine(files({}))).toEqual({ cpus: availableParallelism(), memoryBytes: totalmem() });
  });

  it('has the limits of a container (version 2)', () => {
    const readFile = files({
      '/proc/self/cgroup': '0::/',
      '/sys/fs/cgroup/cpu.max': '20000 100000',
      '/sys/fs/cgroup/memory.max': '536870912',
    });
    expect(readMachine(readFile)).toEqual({ cpus: 0.2, memoryBytes: GIB / 2 });
  });

  it('has the lowest limit of the unit and the slices around it', () => {
    const readFile = files({
      '/proc/self/cgroup': '0::/system.slice/opencanvas-api.service',
      '/sys/fs/cgroup/system.slice/cpu.max': '50000 100000',
      '/sys/fs/cgroup/system.slice/opencanvas-api.service/cpu.max': 'max 100000',
      '/sys/fs/cgroup/system.slice/memory.max': 'max',
      '/sys/fs/cgroup/system.slice/opencanvas-api.service/memory.max': '1073741824',
    });
    expect(readMachine(readFile)).toEqual({ cpus: 0.5, memoryBytes: GIB });
  });

  it('has the limits of a container (version 1), whose own path is not mounted', () => {
    const readFile = files({
      '/proc/self/cgroup': '5:memory:/docker/c0ffee\n4:cpu,cpuacct:/docker/c0ffee\n1:name=systemd:/docker/c0ffee',
      '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '75000',
      '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000',
      '/sys/fs/cgroup/memory/memory.limit_in_bytes': '1073741824',
    });
    expect(readMachine(readFile)).toEqual({ cpus: 0.75, memoryBytes: GIB });
  });

  it('is the whole one when nothing is limited (version 1)', () => {
    const readFile = files({
      '/proc/self/cgroup': '5:memory:/\n4:cpu:/',
      '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1',
      '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000',
      '/sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712',
    });
    expect(readMachine(readFile)).toEqual({ cpus: availableParallelism(), memoryBytes: totalmem() });
  });

  it('is described in one phrase', () => {
    expect(describeMachine({ cpus: 0.2, memoryBytes: GIB / 2 })).toBe('0.2 cores and 0.5 GiB');
    expect(describeMachine({ cpus: 1, memoryBytes: 2 * GIB })).toBe('1 core and 2.0 GiB');
  });
});

describe('the number of web workers', () => {
  it.each([
    [2, 24, 2],
    [16, 32, 16],
    [1, 8, 1],
    // a quota
    [0.2, 24, 1],
    [1.5, 24, 1],
    [2.5, 24, 2],
    // memory
    [4, 1.4, 1],
    [4, 1.5, 2],
    [4, 2, 4],
    [16, 2, 4],
    [64, 8, 20],
  ])('on %s cores with %s GiB is %s', (cpus, memoryGib, workers) => {
    expect(webWorkersOf({ cpus, memoryBytes: memoryGib * GIB }, CACHE_BYTES)).toBe(workers);
  });

  it('is lower when each has a large cache', () => {
    expect(webWorkersOf({ cpus: 16, memoryBytes: 8 * GIB }, 2 * GIB)).toBe(3);
  });
});
