import { signUp } from './accounts.js';
import type { TestClient } from './client.js';

/** How long a response says that it waited for other hosts; NaN where there was none to wait for. */
export function hostsMsOf(headers: Headers): number {
  return Number(/hosts;dur=([\d.]+)/.exec(headers.get('server-timing') ?? '')?.[1] ?? NaN);
}

/** Signs an account out. @returns how long the response waited for other hosts */
export async function endSignIn({ client }: { client: TestClient }): Promise<number> {
  const { refreshToken } = await signUp(client);
  return hostsMsOf((await client.post('/v1/auth/logout', { body: { refreshToken } })).headers);
}
