import { poolShareOf } from './pool-share.js';

describe('connections of a host', () => {
  it.each([
    // workers, writer, jobs process, and one replacement in a rolling restart
    [180, 15, true, 10],
    [100, 2, false, 25],
    [20, 1, true, 20],
    [undefined, 16, true, 10],
  ])('%p, shared by %i web workers (jobs: %p), are %i for each process', (budget, workers, hasJobs, poolSize) => {
    const share = poolShareOf(budget, workers, hasJobs);
    expect(share.poolSize).toBe(poolSize);
    const processes = workers === 1 ? 1 : workers + 1 + Number(hasJobs);
    expect(processes * poolSize).toBeLessThanOrEqual(share.hostPoolSize);
  });

  it('are refused when a process would have too few', () => {
    expect(poolShareOf(57, 16, true).poolSize).toBe(3);
    expect(() => poolShareOf(56, 16, true)).toThrow('MONGODB_POOL_SIZE must be at least 57 here: 18 processes');
    expect(() => poolShareOf(2, 1, true)).toThrow('MONGODB_POOL_SIZE must be at least 3 here');
  });
});
