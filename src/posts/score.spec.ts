import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { quantize, rankOf, score, scoreAgeDays, topScore, ageBucketOf } from './score.js';

const NONE = { viewsCount: 0, readsCount: 0, likesCount: 0, dislikesCount: 0, sharesCount: 0 };
const day = (n: number) => new Date(Date.UTC(2025, 0, 1) + n * 86_400_000);

describe('score', () => {
  it('weighs each counter as documented', () => {
    expect(topScore(NONE)).toBe(1);
    expect(topScore({ viewsCount: 10, readsCount: 4, likesCount: 3, dislikesCount: 2, sharesCount: 1 })).toBe(
      5 + 10 + 4 + 6 + 1 - 3,
    );
  });

  it('ignores reads and shares of visitors, but not their views', () => {
    const seen = { ...NONE, viewsCount: 300, readsCount: 300, sharesCount: 300 };
    expect(topScore({ ...seen, visitorReads: 300, visitorShares: 300 })).toBe(151);
    expect(topScore({ ...seen, visitorReads: 299, visitorShares: 299 })).toBe(151 + 2.5 + 4);
  });

  it('ignores votes of unverified accounts', () => {
    const voted = { ...NONE, likesCount: 30, dislikesCount: 20 };
    expect(topScore({ ...voted, visitorLikes: 30, visitorDislikes: 20 })).toBe(1);
    expect(topScore({ ...voted, visitorLikes: 29, visitorDislikes: 20 })).toBe(3);
  });

  it('decays by (age + 2)^1.37', () => {
    expect(score(NONE, 0)).toBeCloseTo(1 / 2 ** 1.37, 12);
    expect(score({ ...NONE, likesCount: 50 }, 8)).toBeCloseTo(101 / 10 ** 1.37, 12);
  });

  it('uses the mean of the age of the post and of its last content edit', () => {
    expect(scoreAgeDays(day(0), day(0), day(10))).toBe(10);
    expect(scoreAgeDays(day(0), day(8), day(10))).toBe(6);
  });

  it('is finite for a post from the future and never rises with age', () => {
    expect(score(NONE, -5)).toBe(score(NONE, 0));
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 9e3, noNaN: true }),
        fc.double({ min: 0, max: 9e3, noNaN: true }),
        (a, b) => {
          const stats = { ...NONE, likesCount: 7 };
          expect(score(stats, Math.max(a, b))).toBeLessThanOrEqual(score(stats, Math.min(a, b)));
        },
      ),
    );
  });

  it('quantizes exactly like toPrecision', () => {
    const edges = [0, 1e-12, 9.995, 99.95, 999.5, 9_995, 0.9995, 1_000, 1e11, 1e12, 1.005, 2.675, 1e300];
    for (const edge of edges)
      for (const value of [edge, -edge, edge * (1 + Number.EPSILON), edge * (1 - Number.EPSILON)])
        expect(quantize(value)).toBe(Number(value.toPrecision(3)));
    const anySize = fc.tuple(fc.double({ min: -1, max: 1, noNaN: true }), fc.integer({ min: -14, max: 14 }));
    const nearTie = fc.tuple(fc.integer({ min: -20_000, max: 20_000 }), fc.integer({ min: -10, max: 8 }));
    fc.assert(
      fc.property(fc.oneof(anySize, nearTie), ([mantissa, exponent]) => {
        const value = mantissa * 10 ** exponent;
        expect(quantize(value)).toBe(Number(value.toPrecision(3)));
      }),
      { numRuns: 5_000 },
    );
  });

  it('quantizes to three significant digits and keeps the order', () => {
    expect([123_456, 0.0012349, -98.76, 0].map(quantize)).toEqual([123_000, 0.00123, -98.8, 0]);
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, min: -1e9, max: 1e9 }),
        fc.double({ noNaN: true, min: -1e9, max: 1e9 }),
        (a, b) => {
          expect(quantize(Math.min(a, b))).toBeLessThanOrEqual(quantize(Math.max(a, b)));
        },
      ),
    );
  });

  it('uses the smallest age bucket for a post', () => {
    expect([0, 1, 1.01, 7, 8, 30, 31, 365, 366].map(ageBucketOf)).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4]);
  });

  it('computes the whole rank of a post', () => {
    const stats = { ...NONE, likesCount: 50 };
    const id = ObjectId.createFromHexString('0000000000000000000000ff');
    const rank = rankOf(stats, day(0), day(0), day(8), id);
    expect(quantize(rank.hot)).toBe(4.31);
    expect(Math.floor(rank.top)).toBe(101);
    expect(rank.ageBucket).toBe(2);
  });

  it('orders equal scores by id, newest first, without crossing the next score', () => {
    const older = ObjectId.createFromTime(1_700_000_000);
    const newer = ObjectId.createFromTime(1_700_000_001);
    const a = rankOf(NONE, day(0), day(0), day(8), older);
    const b = rankOf(NONE, day(0), day(0), day(8), newer);
    expect(b.hot).toBeGreaterThan(a.hot);
    expect(b.top).toBeGreaterThan(a.top);
    expect(quantize(b.hot)).toBe(quantize(a.hot));
  });
});
