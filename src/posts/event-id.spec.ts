import { ObjectId } from 'mongodb';
import { windowEndOf } from '../common/event-keys.js';
import { eventId, eventViewer, windowEnd } from './event-id.js';

const POST = new ObjectId('64b000000000000000000001');
const END = new Date(Date.UTC(2026, 4, 2));
const NEXT_END = new Date(Date.UTC(2026, 4, 3));

describe('who looked', () => {
  it('is the account, wherever it signs in from', () => {
    const viewer = { id: '64b000000000000000000009', role: 'user' as const };
    expect(eventViewer(viewer, '10.0.0.1', 'a')).toBe(eventViewer(viewer, '10.0.0.2', 'b'));
  });

  it('is address and agent without an account', () => {
    expect(eventViewer(null, '10.0.0.1', 'a')).not.toBe(eventViewer(null, '10.0.0.2', 'a'));
    expect(eventViewer(null, '10.0.0.1', 'a')).not.toBe(eventViewer(null, '10.0.0.1', 'b'));
    expect(eventViewer(null, '::ffff:10.0.0.1', 'a')).toBe(eventViewer(null, '10.0.0.1', 'a'));
  });

  it.each([
    ['2001:db8:0:1::1', '2001:db8:0:1:ffff:ffff:ffff:ffff', true],
    ['2001:db8::1', '2001:0db8:0:0::2', true],
    ['2001:db8:0:1::1', '2001:db8:0:2::1', false],
    ['::1', '::2', true],
  ])('takes %s and %s for one household: %s', (a, b, isSame) => {
    expect(eventViewer(null, a, 'x') === eventViewer(null, b, 'x')).toBe(isSame);
  });
});

describe('an event', () => {
  it('happens once per viewer, post, kind and window', () => {
    const id = eventId('key', 'u:1', POST, 'view', END).toString('hex');
    expect(id).toMatch(/^69f53e8064b00000000000000000000101[0-9a-f]{22}$/);
    expect(eventId('key', 'u:1', POST, 'view', END).toString('hex')).toBe(id);
    const others = [
      eventId('key', 'u:2', POST, 'view', END),
      eventId('key', 'u:1', new ObjectId('64b000000000000000000002'), 'view', END),
      eventId('key', 'u:1', POST, 'read', END),
      eventId('key', 'u:1', POST, 'view', NEXT_END),
      eventId('other', 'u:1', POST, 'view', END),
    ];
    for (const other of others) expect(other.toString('hex')).not.toBe(id);
  });

  it('may come again when its window has ended, not before', () => {
    const noon = Date.UTC(2026, 4, 1, 12);
    const endsAt = windowEnd(noon, 24);
    expect(endsAt).toEqual(END);
    expect(windowEnd(endsAt.getTime() - 1, 24)).toEqual(END);
    expect(windowEnd(endsAt.getTime(), 24)).toEqual(NEXT_END);
  });

  it('tells when its window ends, so that it can be summed up and removed then', () => {
    expect(windowEndOf(eventId('key', 'u:1', POST, 'view', END))).toEqual(END);
  });
});
