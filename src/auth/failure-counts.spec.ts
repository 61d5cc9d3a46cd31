import { FailureCounts } from './failure-counts.js';

describe('counts of failures', () => {
  let now: number;
  const countsOf = (maxKeys?: number) => new FailureCounts({ free: 3, longestMs: 60_000 }, () => now, maxKeys);
  const fail = (counts: FailureCounts, key: string, times = 1): void => {
    for (let time = 0; time < times; time++) {
      counts.begun(key);
      counts.failed(key);
    }
  };
  beforeEach(() => {
    now = 1_000_000;
  });

  it('cost nothing at first, then a wait that doubles up to the longest', () => {
    const counts = countsOf();
    const waits = Array.from({ length: 12 }, () => {
      fail(counts, 'a');
      return counts.waitMs('a');
    });
    expect(waits).toEqual([0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60, 60].map((seconds) => seconds * 1_000));
    now += 59_999;
    expect(counts.waitMs('a')).toBe(1);
    now += 1;
    expect(counts.waitMs('a')).toBe(0);
    expect(counts.waitMs('b')).toBe(0);
  });

  it('are forgotten an hour after the last one', () => {
    const counts = countsOf();
    fail(counts, 'a', 9);
    now += 3_600_001;
    fail(counts, 'a', 2);
    expect(counts.waitMs('a')).toBe(0);
  });

  it('include attempts under way, which no longer count after ten seconds without an end', () => {
    const counts = countsOf();
    for (let attempt = 0; attempt < 3; attempt++) counts.begun('a');
    expect(counts.waitMs('a')).toBe(1_000);
    counts.ended('a');
    expect(counts.waitMs('a')).toBe(0);
    counts.begun('a');
    now += 10_001;
    expect(counts.waitMs('a')).toBe(0);
  });

  it('never forget one who has to wait for one who has not, however many keys there are', () => {
    const counts = countsOf(100);
    fail(counts, 'guessed at', 9);
    for (let key = 0; key < 1_000; key++) fail(counts, `k${key}`, 2);
    expect(counts.waitMs('guessed at')).toBeGreaterThan(0);
    expect(counts.size).toBe(100);
  });

  it('hold no more keys than they may when all of them have to wait, and keep the latest', () => {
    const counts = countsOf(100);
    for (let key = 0; key < 150; key++) fail(counts, `k${key}`, 3);
    expect(counts.size).toBe(100);
    expect([counts.waitMs('k0'), counts.waitMs('k149')]).toEqual([0, 1_000]);
  });
});
