import { isIP } from 'node:net';
import * as z from 'zod';
import { EVENT_KINDS, type EventKind } from '../../views/event-keys.js';
import type { PostEvent } from '../../views/post-event-writer.service.js';

/** far more than a message needs */
export const MAX_MESSAGE_BYTES = 1_024;
/** how far the clocks of producers may be ahead */
const MAX_AHEAD_MS = 300_000;
/** bounds the reason, which may repeat a part of the message */
const MAX_REASON = 200;

const id = z.string().regex(/^[\da-f]{24}$/, 'must be 24 hex digits');

const MESSAGE = z
  .strictObject({
    postId: id,
    kind: z.enum(Object.keys(EVENT_KINDS) as [EventKind, ...EventKind[]]),
    userId: id.optional(),
    address: z
      .string()
      .refine((text) => isIP(text) > 0, 'must be an IP address')
      .optional(),
    at: z.iso.datetime({ offset: true }).optional(),
  })
  .refine(({ userId, address }) => (userId === undefined) !== (address === undefined), 'needs userId or address');

/** @field userId of the account, or null for a visitor with an address */
export type EventMessage = Omit<PostEvent, 'viewer'> & { userId: string | null };

/** A message that can never be counted, with the reason. */
export class InvalidMessage {
  constructor(readonly reason: string) {}
}

/**
 * Reads an event in the format of producers (docs/kafka.md). Refuses unknown fields, as a request does.
 * @param sentAt the time of the record, for messages without a time
 */
export function readEventMessage(
  value: Buffer | undefined,
  sentAt: number,
  now: number,
): EventMessage | InvalidMessage {
  if (value === undefined) return new InvalidMessage('is empty');
  if (value.length > MAX_MESSAGE_BYTES) return new InvalidMessage(`has ${value.length} bytes`);
  let json: unknown;
  try {
    json = JSON.parse(value.toString());
  } catch {
    return new InvalidMessage('is not JSON');
  }
  const { data, error } = MESSAGE.safeParse(json);
  if (data === undefined) {
    const { path, message } = error.issues[0]!;
    return new InvalidMessage(`${path.join('.')}: ${message}`.replace(/^: /, '').slice(0, MAX_REASON));
  }
  // A record may have no time.
  const at = data.at !== undefined ? Date.parse(data.at) : sentAt > 0 ? sentAt : now;
  if (at > now + MAX_AHEAD_MS) return new InvalidMessage('at: is in the future');
  return { postId: data.postId, kind: data.kind, userId: data.userId ?? null, address: data.address ?? '', at };
}
