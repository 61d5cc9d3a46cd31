import { spawnSync } from 'node:child_process';
import { nodeFlagsOf } from './managed-process.js';

describe('flags of node', () => {
  it.each(['web', 'writer', 'jobs', 'all'] as const)(
    'of a process of the role %s are known to this version of node',
    (role) => {
      const { status, stderr } = spawnSync(process.execPath, [...nodeFlagsOf(role), '-e', ''], { encoding: 'utf8' });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    },
  );

  it('keep the heap of the jobs process near what is alive', () => {
    expect(nodeFlagsOf('jobs')).toContain('--heap-growing-percent=40');
    expect(spawnSync(process.execPath, ['--no-such-flag', '-e', '']).status).not.toBe(0);
  });
});
