import { createHmac, timingSafeEqual } from 'node:crypto';
import { CodedError } from './errors.js';

/** Where a page ended: the sort value and id of its last row, and the ranking epoch they belong to; 0 in a list by id. */
export type CursorPosition = { epoch: number; value: number; id: string };

const PAYLOAD_BYTES = 24; // epoch 4, value 8, id 12
const MAC_BYTES = 12;
export const CURSOR_PATTERN = /^[A-Za-z0-9_-]{48}$/;

/**
 * Opaque, signed, fixed-size (48 characters) keyset cursors. The MAC covers the scope (route and filters), so a cursor from one
 * list is refused by every other list.
 */
export class CursorCodec {
  private readonly secrets: readonly string[];

  /** @param secrets the first signs, all verify */
  constructor(...secrets: string[]) {
    this.secrets = secrets;
  }

  encode(scope: string, { epoch = 0, value = 0, id }: Partial<CursorPosition> & { id: string }): string {
    const token = Buffer.allocUnsafe(PAYLOAD_BYTES + MAC_BYTES);
    token.writeUInt32BE(epoch, 0);
    token.writeDoubleBE(value, 4);
    token.write(id, 12, 12, 'hex');
    this.mac(this.secrets[0]!, scope, token.subarray(0, PAYLOAD_BYTES)).copy(token, PAYLOAD_BYTES, 0, MAC_BYTES);
    return token.toString('base64url');
  }

  /** @throws CodedError `invalid_cursor` for a malformed, forged, truncated or foreign cursor */
  decode(scope: string, cursor: string): CursorPosition {
    if (!CURSOR_PATTERN.test(cursor)) throw invalidCursor();
    const token = Buffer.from(cursor, 'base64url');
    const payload = token.subarray(0, PAYLOAD_BYTES);
    const mac = token.subarray(PAYLOAD_BYTES);
    const isOurs = this.secrets.some((secret) =>
      timingSafeEqual(mac, this.mac(secret, scope, payload).subarray(0, MAC_BYTES)),
    );
    if (!isOurs) throw invalidCursor();
    return { epoch: payload.readUInt32BE(0), value: payload.readDoubleBE(4), id: payload.toString('hex', 12) };
  }

  private mac(secret: string, scope: string, payload: Buffer): Buffer {
    return createHmac('sha256', secret).update(payload).update(scope).digest();
  }
}

function invalidCursor(): CodedError {
  const message =
    'not a cursor of this list; take page.nextCursor from an earlier answer, unchanged, with the same filters';
  return new CodedError('invalid_cursor', 'The cursor does not belong to this list.', {
    fields: [{ field: 'cursor', message }],
  });
}
