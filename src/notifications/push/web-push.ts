import { createCipheriv, createECDH, createPrivateKey, hkdfSync, randomBytes } from 'node:crypto';
import { createSigner } from 'fast-jwt';

/** Keys of a browser in base64url: its uncompressed P-256 public key and a 16-byte secret. */
export type SubscriptionKeys = { p256dh: string; auth: string };

const CURVE = 'prime256v1';
const PUBLIC_KEY_BYTES = 65;
const RECORD_BYTES = 4_096;
/** the delimiter that ends the last record (RFC 8188) */
const LAST_RECORD = 2;
const VAPID_TTL_MS = 12 * 3_600_000;

const bytesOf = (text: string): Buffer => Buffer.from(text, 'base64url');

/** Whether `p256dh` is a point of the curve and `auth` has 16 bytes. */
export function areSubscriptionKeys({ p256dh, auth }: SubscriptionKeys): boolean {
  const key = bytesOf(p256dh);
  if (key.length !== PUBLIC_KEY_BYTES || bytesOf(auth).length !== 16) return false;
  try {
    const own = createECDH(CURVE);
    own.generateKeys();
    own.computeSecret(key);
    return true;
  } catch {
    return false;
  }
}

/**
 * Encrypts a message for a browser (RFC 8291), as a single aes128gcm record (RFC 8188).
 * @param once fixed keys and salt, for the RFC's test vector
 */
export function encryptPush(
  text: string,
  { p256dh, auth }: SubscriptionKeys,
  once: { privateKey?: Buffer; salt?: Buffer } = {},
): Buffer {
  const receiver = bytesOf(p256dh);
  const sender = createECDH(CURVE);
  if (once.privateKey === undefined) sender.generateKeys();
  else sender.setPrivateKey(once.privateKey);
  const senderKey = sender.getPublicKey();
  const salt = once.salt ?? randomBytes(16);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), receiver, senderKey]);
  const secret = derive(sender.computeSecret(receiver), bytesOf(auth), info, 32);
  const key = derive(secret, salt, 'Content-Encoding: aes128gcm\0', 16);
  const nonce = derive(secret, salt, 'Content-Encoding: nonce\0', 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const record = Buffer.concat([cipher.update(text), cipher.update(Buffer.from([LAST_RECORD])), cipher.final()]);
  const header = Buffer.alloc(21);
  header.set(salt);
  header.writeUInt32BE(RECORD_BYTES, 16);
  header.writeUInt8(PUBLIC_KEY_BYTES, 20);
  return Buffer.concat([header, senderKey, record, cipher.getAuthTag()]);
}

/** Identifies this server to push services (VAPID, RFC 8292). */
export class Vapid {
  /** the `applicationServerKey` of clients, in base64url */
  readonly publicKey: string;
  private readonly sign: (claims: { aud: string; sub: string }) => string;

  /** @param privateKey 32 bytes. @param subject a `mailto:` or https address of the operator */
  constructor(
    privateKey: Buffer,
    private readonly subject: string,
  ) {
    const pair = createECDH(CURVE);
    pair.setPrivateKey(privateKey);
    const point = pair.getPublicKey();
    this.publicKey = point.toString('base64url');
    const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
    const jwk = { kty: 'EC', crv: 'P-256', d: privateKey.toString('base64url'), x: x!, y: y! };
    const key = createPrivateKey({ key: jwk, format: 'jwk' }).export({ type: 'pkcs8', format: 'pem' });
    this.sign = createSigner({ algorithm: 'ES256', key, expiresIn: VAPID_TTL_MS });
  }

  /** Returns the value of the Authorization header for a push service. */
  authorizationFor(endpoint: string): string {
    const token = this.sign({ aud: new URL(endpoint).origin, sub: this.subject });
    return `vapid t=${token}, k=${this.publicKey}`;
  }
}

function derive(secret: Buffer, salt: Buffer, info: Buffer | string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, bytes));
}
