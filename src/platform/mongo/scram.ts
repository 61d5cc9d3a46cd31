import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Binary, type Document, MongoServerError } from 'mongodb';

export type ScramCredentials = { username: string; password: string; source: string };

/** What a password is signed in with on this connection; its own mechanism is negotiated by `hello`. */
export const SCRAM_SHA_256 = 'SCRAM-SHA-256';

const LEAST_ITERATIONS = 4_096;
const AUTHENTICATION_FAILED = 18;
const derive = promisify(pbkdf2);

/** Of these passwords SASLprep, which SCRAM asks for, changes nothing. */
export function isPlainPassword(password: string): boolean {
  return /^[\x20-\x7e]+$/.test(password);
}

/**
 * SCRAM-SHA-256 (RFC 5802, RFC 7677) as MongoDB carries it: the password does not travel, and the server proves that it knows it, too.
 * @throws MongoServerError of a server that refuses, or that cannot prove it
 */
export async function signIn(
  send: (command: Document) => Promise<Document>,
  { username, password, source }: ScramCredentials,
): Promise<void> {
  const name = username.replaceAll('=', '=3D').replaceAll(',', '=2C');
  const nonce = randomBytes(24).toString('base64');
  const clientFirst = `n=${name},r=${nonce}`;
  const started = await send({
    saslStart: 1,
    mechanism: SCRAM_SHA_256,
    payload: new Binary(Buffer.from(`n,,${clientFirst}`)),
    autoAuthorize: 1,
    options: { skipEmptyExchange: true },
    $db: source,
  });
  const serverFirst = textOf(started);
  const { r: serverNonce = '', s: salt = '', i: iterations = '' } = fieldsOf(serverFirst);
  const count = Number(iterations);
  if (!serverNonce.startsWith(nonce) || serverNonce === nonce || !(count >= LEAST_ITERATIONS)) throw untrusted();

  const salted = await derive(password, Buffer.from(salt, 'base64'), count, 32, 'sha256');
  const clientKey = hmac(salted, 'Client Key');
  const withoutProof = `c=biws,r=${serverNonce}`;
  const exchange = `${clientFirst},${serverFirst},${withoutProof}`;
  const signature = hmac(createHash('sha256').update(clientKey).digest(), exchange);
  const proof = Buffer.from(clientKey.map((byte, at) => byte ^ signature[at]!));
  const ended = await send({
    saslContinue: 1,
    conversationId: started.conversationId as unknown,
    payload: new Binary(Buffer.from(`${withoutProof},p=${proof.toString('base64')}`)),
    $db: source,
  });
  const proven = Buffer.from(fieldsOf(textOf(ended)).v ?? '', 'base64');
  const expected = hmac(hmac(salted, 'Server Key'), exchange);
  if (ended.done !== true || proven.length !== expected.length || !timingSafeEqual(proven, expected)) throw untrusted();
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function textOf({ payload }: Document): string {
  return (payload as Binary).toString('utf8');
}

/** `r=…,s=…,i=…`; a value may hold further equals signs. */
function fieldsOf(text: string): Record<string, string> {
  return Object.fromEntries(text.split(',').map((part) => [part.slice(0, 1), part.slice(2)]));
}

function untrusted(): Error {
  const errmsg = 'The server did not prove that it knows the password.';
  return new MongoServerError({ ok: 0, code: AUTHENTICATION_FAILED, errmsg });
}
