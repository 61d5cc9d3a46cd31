import { ObjectId } from 'mongodb';
import { eventId, eventViewer, windowEnd, windowEndOf } from './event-keys.js';

const POST = new ObjectId('64b000000000000000000001');
const END = new Date(Date.UTC(2026, 4, 2));
const NEXT_END = new Date(Date.UTC(2026, 4, 3));

describe('the viewer of an event', () => {
  it('is the account, wherever it signs in from', () => {
    const viewer = { id: '64b000000000000000000009', isEmailVerified: true };
    expect(eventViewer({ ...viewer, isEmailVerified: false }, '10.0.0.1')).toBe(eventViewer(null, '10.0.0.1'));
    expect(eventViewer(viewer, '10.0.0.1')).toBe(eventViewer(viewer, '10.0.0.2'));
    expect(eventViewer(viewer, '10.0.0.1')).not.toBe(eventViewer(null, '10.0.0.1'));
  });

  it.each([
    ['10.0.0.1', '10.0.0.2', false],
    ['10.0.0.1', '10.0.1.1', false],
    ['::ffff:10.0.0.1', '10.0.0.1', true],
    ['2001:db8:0:1::1', '2001:db8:0:1:ffff:ffff:ffff:ffff', true],
    ['2001:db8::1', '2001:0DB8:0:0::2', true],
    // One household may have a /56.
    ['2001:db8:0:1::1', '2001:db8:0:ff::1', true],
    ['2001:db8:0:1::1', '2001:db8:0:100::1', false],
    ['2001:db8:0:1::1', '2001:db8:1:1::1', false],
    ['::1', '::2', true],
    ['', '', true],
  ])('without an account is the network: %s and %s are one: %s', (a, b, isSame) => {
    expect(eventViewer(null, a) === eventViewer(null, b)).toBe(isSame);
  });

  it.each([
    ['an IPv4 /24', 256, (n: number) => `198.51.100.${n}`],
    ['an IPv6 /48', 65_536, (n: number) => `2001:db8:7:${n.toString(16)}::1`],
  ])('is no more than eight of %s', (_network, count, address) => {
    const viewers = Array.from({ length: count }, (_, n) => eventViewer(null, address(n)));
    expect(new Set(viewers).size).toBe(8);
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

  it('may count again when its window has ended, not before', () => {
    const noon = Date.UTC(2026, 4, 1, 12);
    const endsAt = windowEnd(noon, 24);
    expect(endsAt).toEqual(END);
    expect(windowEnd(endsAt.getTime() - 1, 24)).toEqual(END);
    expect(windowEnd(endsAt.getTime(), 24)).toEqual(NEXT_END);
  });

  it('contains the end of its window, after which it is summed up and deleted', () => {
    expect(windowEndOf(eventId('key', 'u:1', POST, 'view', END))).toEqual(END);
  });
});
