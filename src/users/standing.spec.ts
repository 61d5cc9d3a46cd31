import { ObjectId } from 'mongodb';
import { isLimited, type Standing, standingAt, suspendedUntil } from './standing.js';

const NOW = Date.UTC(2026, 10, 28);
const standing = (level: Standing['level'], until: number | null): Standing => ({
  level,
  until: until === null ? null : new Date(until),
  actionId: new ObjectId(),
});

describe('the standing of an account', () => {
  it('is good without a restriction', () => {
    expect([standingAt(undefined, NOW), standingAt(null, NOW)]).toEqual([null, null]);
  });

  it('holds until its end, and without an end', () => {
    const [ended, now, later, forever] = [NOW - 1, NOW, NOW + 1, null].map((until) => standing('banned', until));
    const levels = [ended, now, later, forever].map((one) => standingAt(one, NOW)?.level ?? null);
    expect(levels).toEqual([null, null, 'banned', 'banned']);
  });

  it('hides content while it is limited or banned, or as a suspension says', () => {
    const hides = (level: Standing['level'], fields: Partial<Standing> = {}) =>
      isLimited({ ...standing(level, null), ...fields });
    expect([hides('limited'), hides('banned'), hides('suspended')]).toEqual([true, true, false]);
    expect(hides('suspended', { hidesContent: true })).toBe(true);
    expect(hides('banned', { until: new Date(0) })).toBe(false);
  });

  it('has an end of the suspension only while the account is suspended', () => {
    expect(suspendedUntil(standing('suspended', NOW + 5), NOW)).toBe(NOW + 5);
    expect(suspendedUntil(standing('suspended', null), NOW)).toBe(Infinity);
    expect(suspendedUntil(standing('suspended', NOW), NOW)).toBeUndefined();
    expect(suspendedUntil(standing('banned', null), NOW)).toBeUndefined();
  });
});
