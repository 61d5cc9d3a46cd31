import { createClient, type TestClient } from '../support/client.js';
import { signUp } from '../support/accounts.js';
import { SpawnedHost } from '../support/spawned-host.js';
import { useServed } from '../support/served.js';

const WRONG = 'not the password';

describe('two hosts on one database', () => {
  const served = useServed({ RATE_LIMIT_ENABLED: 'true', HTTP_WORKERS: '2' });
  let other: SpawnedHost;
  let clients: TestClient[];

  beforeAll(async () => {
    other = new SpawnedHost(
      'dist/src/main.js',
      served.host.childEnvironment({ HTTP_PORT: '0' }) as Record<string, string>,
    );
    other.start();
    clients = [served.client, createClient(await other.url())];
  }, 120_000);
  afterAll(async () => {
    await other?.remove();
  });

  it('check three guesses at an account between them, and let the owner in where they are known', async () => {
    const { username, password } = await signUp(served.client);
    const guess = async (at: number, login: string): Promise<number> =>
      (await clients[at % 2]!.post('/v1/auth/login', { body: { login, password: WRONG } })).status;
    const first: number[] = [];
    for (let at = 0; at < 3; at++) first.push(await guess(at, `nobody_${username}`));
    const startedAt = performance.now();
    const others = await Promise.all(Array.from({ length: 9 }, (_, at) => guess(at, `nobody_${username}`)));
    // the wait is a second, then two: on a machine that takes so long for nine refusals one more may be due
    const due = Math.floor(Math.log2(1 + (performance.now() - startedAt) / 1_000));
    expect(first).toEqual([401, 401, 401]);
    expect(others.filter((status) => status === 429).length).toBeGreaterThanOrEqual(9 - due);
    const login = { body: { login: username, password } };
    for (const client of clients) expect((await client.post('/v1/auth/login', login)).status).toBe(200);
  });
});
