import fc from 'fast-check';
import { MAX_MESSAGE_BYTES, InvalidMessage, readEventMessage } from './event-message.js';

const NOW = Date.parse('2026-11-24T12:00:00Z');
const POST = '6650c3a2f1d2b3c4d5e6f708';
const USER = '6650c3a2f1d2b3c4d5e6f709';
const readMessage = (message: unknown, sentAt = NOW - 1_000) =>
  readEventMessage(Buffer.from(JSON.stringify(message)), sentAt, NOW);

describe('a message with an event', () => {
  it('names an account or an address', () => {
    expect(readMessage({ postId: POST, kind: 'read', userId: USER })).toEqual({
      postId: POST,
      kind: 'read',
      userId: USER,
      address: '',
      at: NOW - 1_000,
    });
    expect(readMessage({ postId: POST, kind: 'view', address: '2001:db8::1' })).toMatchObject({
      userId: null,
      address: '2001:db8::1',
    });
  });

  it.each([
    ['its own time', { at: '2026-11-24T10:00:00+02:00' }, NOW, Date.parse('2026-11-24T08:00:00Z')],
    ['else the time of its record', {}, NOW - 5, NOW - 5],
    ['else the present', {}, -1, NOW],
  ])('happened at %s', (_, fields, sentAt, at) => {
    expect(readMessage({ postId: POST, kind: 'view', address: '192.0.2.1', ...fields }, sentAt)).toMatchObject({ at });
  });

  it('may be ahead by a difference of clocks, but not by a day', () => {
    const view = { postId: POST, kind: 'view', address: '192.0.2.1' };
    expect(readMessage(view, NOW + 60_000)).toMatchObject({ at: NOW + 60_000 });
    expect(readMessage(view, NOW + 86_400_000)).toEqual(new InvalidMessage('at: is in the future'));
  });

  it('never throws, for any content, and gives a short reason', () => {
    const anything = fc.oneof(
      fc.uint8Array({ maxLength: 2 * MAX_MESSAGE_BYTES }).map((bytes) => Buffer.from(bytes)),
      fc.json().map((text) => Buffer.from(text)),
      fc
        .record({ postId: fc.jsonValue(), kind: fc.jsonValue(), address: fc.string() }, { requiredKeys: [] })
        .map((value) => Buffer.from(JSON.stringify(value))),
      fc.constant(undefined),
    );
    fc.assert(
      fc.property(anything, (value) => {
        const event = readEventMessage(value, NOW, NOW);
        return event instanceof InvalidMessage && event.reason.length > 0 && event.reason.length <= 200;
      }),
    );
  });
});
