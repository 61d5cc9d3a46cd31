import { ObjectId } from 'mongodb';
import fc from 'fast-check';
import { addReport, type CaseTally, claimOf, requireDecidable, weightOf } from './report-plan.js';
import { REPORT_REASONS } from './report-rules.js';

const [owner, moderator, other] = [new ObjectId(), new ObjectId(), new ObjectId()];
const NOW = new Date('2026-11-29T10:00:00Z');
const [EARLIER, LATER] = [new Date(NOW.getTime() - 1), new Date(NOW.getTime() + 1)];

const report = fc.record({
  weight: fc.integer({ min: 0, max: 6 }).map(weightOf),
  reason: fc.constantFrom(...REPORT_REASONS),
  createdAt: fc.date({ min: EARLIER, max: LATER, noInvalidDate: true }),
});

describe('the weight of a reporter', () => {
  it('is 1, halved by each dismissed report, and at least 0.1', () => {
    expect([0, 1, 2, 3, 4, 5, 1_000].map(weightOf)).toEqual([1, 0.5, 0.25, 0.125, 0.1, 0.1, 0.1]);
  });
});

describe('the counts of a case', () => {
  it('equal the reports, for any reports in any order', () => {
    fc.assert(
      fc.property(fc.array(report, { minLength: 1, maxLength: 30 }), (reports) => {
        const tally = reports.reduce<CaseTally | null>(addReport, null)!;

        const counts = REPORT_REASONS.map((reason) => reports.filter((one) => one.reason === reason).length);
        expect(REPORT_REASONS.map((reason) => tally.reasons[reason] ?? 0)).toEqual(counts);
        expect(tally.reportsCount).toBe(reports.length);
        expect(tally.weight).toBeCloseTo(reports.reduce((sum, { weight }) => sum + weight, 0));
        expect(tally.lastAt.getTime()).toBe(Math.max(...reports.map(({ createdAt }) => createdAt.getTime())));
      }),
    );
  });

  it('do not change the tally that they are added to', () => {
    const first = addReport(null, { weight: 1, reason: 'spam', createdAt: NOW });
    const copy = structuredClone(first);

    addReport(first, { weight: 1, reason: 'spam', createdAt: LATER });

    expect(first).toEqual(copy);
  });
});

describe('a claim', () => {
  it('is in force until its end', () => {
    const claimed = (claimedUntil: Date) => claimOf({ claimedBy: moderator, claimedUntil }, NOW);

    expect([claimed(LATER), claimed(NOW), claimed(EARLIER)]).toEqual([{ by: moderator, until: LATER }, null, null]);
    expect(claimOf({ claimedBy: null, claimedUntil: null }, NOW)).toBeNull();
  });
});

describe('a decision', () => {
  const open = { state: 'open', ownerId: owner, claimedBy: null, claimedUntil: null } as const;
  const codeOf = (row: Parameters<typeof requireDecidable>[0], by: ObjectId): string => {
    try {
      requireDecidable(row, by, NOW);
      return 'allowed';
    } catch (error) {
      return (error as { code: string }).code;
    }
  };

  it.each([
    ['an open case', open, moderator, 'allowed'],
    ['a case about it', open, owner, 'forbidden'],
    ['a closed case', { ...open, state: 'closed' }, moderator, 'case_closed'],
    ['a case of its own claim', { ...open, claimedBy: moderator, claimedUntil: LATER }, moderator, 'allowed'],
    ['a case of another claim', { ...open, claimedBy: other, claimedUntil: LATER }, moderator, 'case_claimed'],
    ['a case with an expired claim', { ...open, claimedBy: other, claimedUntil: EARLIER }, moderator, 'allowed'],
  ] as const)('of a moderator about %s', (_, row, by, expected) => {
    expect(codeOf(row, by)).toBe(expected);
  });
});
