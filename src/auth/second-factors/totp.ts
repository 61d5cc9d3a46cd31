import { createHmac, timingSafeEqual } from 'node:crypto';

/** Several authenticator apps ignore other values in the URL. */
const STEP_SECONDS = 30;
const DIGITS = 6;
/** RFC 4226 recommends 160 bits. */
export const SECRET_BYTES = 20;
/** RFC 6238 allows one step to either side, because phone clocks differ and typing a code takes time. */
const WINDOW = [0, -1, 1];

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const ISSUER = 'OpenCanvas';

/** RFC 4226, with HMAC-SHA-1. */
export function hotp(secret: Uint8Array, counter: number): string {
  const message = Buffer.alloc(8);
  message.writeBigUInt64BE(BigInt(counter));
  const mac = createHmac('sha1', secret).update(message).digest();
  const offset = mac[mac.length - 1]! & 0xf;
  const number = mac.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

/** Returns the time step of the code (RFC 6238), later than `lastStep`; null for a wrong code. */
export function stepOf(secret: Uint8Array, code: string, now: number, lastStep: number): number | null {
  const present = Math.floor(now / 1_000 / STEP_SECONDS);
  const given = Buffer.from(code);
  for (const step of WINDOW.map((offset) => present + offset)) {
    const right = Buffer.from(hotp(secret, step));
    if (step > lastStep && given.length === right.length && timingSafeEqual(given, right)) return step;
  }
  return null;
}

/** RFC 4648 without padding, as authenticator apps expect it. */
export function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => BASE32[parseInt(five.padEnd(5, '0'), 2)]).join('');
}

/** The content of the QR code for an authenticator app. */
export function otpauthUrl(secret: Uint8Array, username: string): string {
  const parameters = `secret=${base32(secret)}&issuer=${ISSUER}&algorithm=SHA1&digits=${DIGITS}&period=${STEP_SECONDS}`;
  return `otpauth://totp/${ISSUER}:${encodeURIComponent(username)}?${parameters}`;
}
