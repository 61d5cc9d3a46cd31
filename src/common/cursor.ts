import { createHmac, timingSafeEqual } from 'node:crypto';
import { CodedError } from './errors.js';

/**
 * The end of a page: sort value and id of its last row, and their epoch (0 if there is none). `key` is a text sort value of at most
 * 128 bytes of UTF-8.
 */
export type CursorPosition = { epoch: number; value: number; id: string; key?: string };

const PAYLOAD_BYTES = 24; // epoch 4, value 8, id 12
const MAC_BYTES = 12;
const MAX_KEY_BYTES = 128;
export const CURSOR_LENGTH = { min: 48, max: 219 };
export const CURSOR_PATTERN = /^[A-Za-z0-9_-]{48,219}$/;

/**
 * Opaque, signed keyset cursors of 48 characters, longer only with a `key`. The MAC covers the scope (route and filters), so that
 * other lists reject the cursor.
 */
export class CursorCodec {
  private readonly secrets: readonly string[];

  /** @param secrets the first secret signs, all secrets verify */
  constructor(...secrets: string[]) {
    this.secrets = secrets;
  }

  encode(
    scope: string,
    { epoch = 0, value = 0, id, key: text = '' }: Partial<CursorPosition> & { id: string },
  ): string {
    const key = Buffer.from(text);
    if (key.length > MAX_KEY_BYTES) throw new RangeError(`a cursor holds a key of at most ${MAX_KEY_BYTES} bytes`);
    const macAt = PAYLOAD_BYTES + key.length;
    const token = Buffer.allocUnsafe(macAt + MAC_BYTES);
    token.writeUInt32BE(epoch, 0);
    token.writeDoubleBE(value, 4);
    token.write(id, 12, 12, 'hex');
    key.copy(token, PAYLOAD_BYTES);
    this.mac(this.secrets[0]!, scope, token.subarray(0, macAt)).copy(token, macAt, 0, MAC_BYTES);
    return token.toString('base64url');
  }

  /** Returns null without a cursor. @throws CodedError `invalid_cursor` for a malformed, forged, truncated or foreign cursor */
  decode(scope: string, cursor: string | undefined): CursorPosition | null {
    if (cursor === undefined) return null;
    if (!CURSOR_PATTERN.test(cursor)) throw invalidCursor();
    const token = Buffer.from(cursor, 'base64url');
    // Unused bits would otherwise give one cursor several spellings.
    if (token.toString('base64url') !== cursor) throw invalidCursor();
    const payload = token.subarray(0, -MAC_BYTES);
    const mac = token.subarray(-MAC_BYTES);
    const isOurs = this.secrets.some((secret) =>
      timingSafeEqual(mac, this.mac(secret, scope, payload).subarray(0, MAC_BYTES)),
    );
    if (!isOurs) throw invalidCursor();
    const key = payload.toString('utf8', PAYLOAD_BYTES);
    const id = payload.toString('hex', 12, PAYLOAD_BYTES);
    return { epoch: payload.readUInt32BE(0), value: payload.readDoubleBE(4), id, ...(key === '' ? {} : { key }) };
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
