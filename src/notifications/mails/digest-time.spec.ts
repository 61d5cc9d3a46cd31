import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { digestOffsetMs, nextDigestAt } from './digest-time.js';

const daily = (timeZone: string, digestHour: number, after: string) =>
  nextDigestAt({ digest: 'daily', digestHour, timeZone }, new Date(after))?.toISOString();
const weekly = (timeZone: string, digestHour: number, after: string) =>
  nextDigestAt({ digest: 'weekly', digestHour, timeZone }, new Date(after))?.toISOString();
const hourIn = (timeZone: string, at: Date): number =>
  Number(new Intl.DateTimeFormat('en-GB', { timeZone, hour: 'numeric', hourCycle: 'h23' }).format(at));

describe('the time of the next digest', () => {
  it.each([
    ['UTC', 8, '2026-05-01T07:59:59Z', '2026-05-01T08:00:00.000Z'],
    ['UTC', 8, '2026-05-01T08:00:00Z', '2026-05-02T08:00:00.000Z'],
    ['Europe/Berlin', 8, '2026-05-01T07:00:00Z', '2026-05-02T06:00:00.000Z'],
    ['Europe/Berlin', 8, '2026-10-24T07:00:00Z', '2026-10-25T07:00:00.000Z'],
    ['Asia/Kathmandu', 0, '2026-05-01T12:00:00Z', '2026-05-01T18:15:00.000Z'],
    ['Pacific/Auckland', 23, '2026-05-01T12:00:00Z', '2026-05-02T11:00:00.000Z'],
  ])('is daily in %s at %d after %s', (zone, hour, after, next) => expect(daily(zone, hour, after)).toBe(next));

  it.each([
    ['UTC', '2026-05-03T23:59:59Z', '2026-05-04T08:00:00.000Z'],
    ['UTC', '2026-05-04T08:00:00Z', '2026-05-11T08:00:00.000Z'],
    ['America/Los_Angeles', '2026-05-04T10:00:00Z', '2026-05-04T15:00:00.000Z'],
  ])('is weekly on a Monday in %s after %s', (zone, after, next) => expect(weekly(zone, 8, after)).toBe(next));

  it('is that hour of the next day, in every zone and at every time', () => {
    const zone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
    const after = fc.date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(zone, fc.nat(23), after, (timeZone, digestHour, from) => {
        const at = nextDigestAt({ digest: 'daily', digestHour, timeZone }, from)!;
        expect(at.getTime()).toBeGreaterThan(from.getTime());
        // A DST change can skip a day or an hour.
        expect(at.getTime() - from.getTime()).toBeLessThanOrEqual(49 * 3_600_000);
        expect([digestHour, (digestHour + 1) % 24, (digestHour + 23) % 24]).toContain(hourIn(timeZone, at));
      }),
      { numRuns: 300 },
    );
  });

  it('is spread over its hour by account, and comes once a day', () => {
    const settings = { digest: 'daily', digestHour: 8, timeZone: 'UTC' } as const;
    const offsets = Array.from({ length: 20_000 }, () => digestOffsetMs(new ObjectId()));
    const minutes = offsets.map((offsetMs) => Math.floor(offsetMs / 60_000));
    const most = Math.max(...Array.from({ length: 60 }, (_, at) => minutes.filter((minute) => minute === at).length));
    expect([Math.min(...minutes), Math.max(...minutes), most < 600]).toEqual([0, 59, true]);
    for (const offsetMs of offsets.slice(0, 20)) {
      const due = nextDigestAt(settings, new Date('2026-05-01T07:30:00Z'), offsetMs)!;
      expect(due.getTime()).toBe(Date.parse('2026-05-01T08:00:00Z') + offsetMs);
      expect(nextDigestAt(settings, due, offsetMs)!.getTime() - due.getTime()).toBe(86_400_000);
    }
  });

  it('is none when digests are off', () => {
    expect(nextDigestAt({ digest: 'off', digestHour: 8, timeZone: 'UTC' }, new Date())).toBeNull();
  });
});
