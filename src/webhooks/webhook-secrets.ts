import { createHmac, randomBytes } from 'node:crypto';

/** A replaced secret signs until its end, so that receivers can change theirs at any time. */
export type WebhookSecrets = { current: string; previous: string | null; previousUntil: number };

/** Stored in place of encrypted secrets by the seeds, which know no key. Such a webhook is never called. */
export const WITHOUT_SECRET = Uint8Array.of(0);

const SECRET_BYTES = 32;
const PREFIX = 'whsec_';
const OVERLAP_MS = 24 * 3_600_000;

/** Returns new secrets, of which the current one replaces that of `before`. */
export function newSecrets(before: WebhookSecrets | null, now: number): WebhookSecrets {
  const current = PREFIX + randomBytes(SECRET_BYTES).toString('base64');
  return { current, previous: before?.current ?? null, previousUntil: before === null ? 0 : now + OVERLAP_MS };
}

/** Returns the headers of a message (standardwebhooks.com): one signature for each secret that is valid now. */
export function signedHeaders(
  { current, previous, previousUntil }: WebhookSecrets,
  id: string,
  body: string,
  now: number,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1_000));
  const secrets = previous !== null && now < previousUntil ? [current, previous] : [current];
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
