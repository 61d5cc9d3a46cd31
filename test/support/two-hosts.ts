import { signUp } from './accounts.js';
import type { Served } from './served.js';
import { SpawnedHost } from './spawned-host.js';
import { until } from './until.js';

/** How long an answer says that it waited for other hosts; NaN where there was none to wait for. */
export function hostsMsOf(headers: Headers): number {
  return Number(/hosts;dur=([\d.]+)/.exec(headers.get('server-timing') ?? '')?.[1] ?? NaN);
}

/** Signs somebody out. @returns how long the answer waited for other hosts */
export async function endSignIn({ client }: Served): Promise<number> {
  const { refreshToken } = await signUp(client);
  return hostsMsOf((await client.post('/v1/auth/logout', { body: { refreshToken } })).headers);
}

/** A second host on the same database, known to the first. Whoever calls it removes it. */
export async function startOther(served: Served, overrides: Record<string, string> = {}): Promise<SpawnedHost> {
  const environment = served.host.childEnvironment({ HTTP_PORT: '0', ...overrides });
  const other = new SpawnedHost('dist/src/main.js', environment as Record<string, string>);
  other.start();
  try {
    await other.url();
    await until(
      async () => Number.isFinite(await endSignIn(served)) || null,
      () => `not known to the first:\n${other.output}`,
    );
    return other;
  } catch (error) {
    await other.remove();
    throw error;
  }
}
