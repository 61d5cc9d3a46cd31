import fc from 'fast-check';
import { BUCKETS, bucketOf, startsOf, statRange } from './stat-buckets.js';

const days = fc
  .date({ min: new Date('1990-01-01'), max: new Date('2090-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

describe('the buckets of a range', () => {
  it('contain each of its days exactly once, in order', () => {
    fc.assert(
      fc.property(days, fc.constantFrom(...BUCKETS), (to, bucket) => {
        const range = statRange({ to, bucket });
        const starts = startsOf(range);

        expect([starts.length, starts[0], starts.at(-1)]).toEqual([30, range.from, bucketOf(to, bucket)]);
        expect([...new Set(starts)].sort()).toEqual(starts);
        expect(starts.map((start) => bucketOf(start, bucket))).toEqual(starts);
      }),
    );
  });

  it.each([
    ['2026-03-01', 'week', '2026-02-23'],
    ['2026-03-02', 'week', '2026-03-02'],
    ['2024-02-29', 'month', '2024-02-01'],
  ] as const)('%s is in the %s of %s', (day, bucket, start) => expect(bucketOf(day, bucket)).toBe(start));

  it('are 1 to 400', () => {
    const year = { from: '2025-01-01', bucket: 'day' } as const;
    expect(startsOf(statRange({ ...year, to: '2026-02-04' }))).toHaveLength(400);
    for (const to of ['2026-02-05', '2024-12-31', '2099-12-31'])
      expect(() => statRange({ ...year, to })).toThrow(expect.objectContaining({ code: 'invalid_range' }));
  });
});
