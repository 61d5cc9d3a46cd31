import { hotp } from '../../src/auth/second-factors/totp.js';
import type { TestAccount } from './accounts.js';
import type { TestClient } from './client.js';

const STEP_MS = 30_000;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Returns the code that an authenticator app with this secret shows `steps` time steps from now. */
export function codeOf(secret: string, steps = 0): string {
  const bits = [...secret].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const bytes = bits.match(/.{8}/g)!.map((byte) => parseInt(byte, 2));
  return hotp(Buffer.from(bytes), Math.floor(Date.now() / STEP_MS) + steps);
}

/** Switches an app on with the code of the previous step, so that the current code stays unused. */
export async function addApp(
  client: TestClient,
  { token, password }: TestAccount,
): Promise<{ secret: string; recoveryCodes: string[] }> {
  const begun = await client.post('/v1/auth/totp', { token, body: { password } });
  if (begun.status !== 201) throw new Error(`${begun.status} ${JSON.stringify(begun.body)}`);
  const { secret } = begun.body as { secret: string };
  const switchOn = () => client.put('/v1/auth/totp', { token, body: { code: codeOf(secret, -1) } });
  let on = await switchOn();
  // A step may end while its code is being sent.
  if (on.status !== 200) on = await switchOn();
  if (on.status !== 200) throw new Error(`${on.status} ${JSON.stringify(on.body)}`);
  return { secret, recoveryCodes: on.body.recoveryCodes };
}
