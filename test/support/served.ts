import { readFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { type TestAccount, signUp } from './accounts.js';
import { createClient, type TestClient } from './client.js';
import { frontEnvironment, startFront } from './front.js';
import { ensureBuilt, SpawnedHost } from './spawned-host.js';

export interface Served {
  readonly host: SpawnedHost;
  readonly url: string;
  readonly client: TestClient;
  /** somebody to write with */
  readonly author: TestAccount;
}

/**
 * The built server as an operator runs it, on the mongod of the run and a database of its own, for the block that calls it.
 * @param environment a function where it is known only once earlier hooks have run
 */
export function useServed(environment: Record<string, string> | (() => Record<string, string>) = {}): Served {
  let served: Served | undefined;
  let front: Awaited<ReturnType<typeof startFront>> | undefined;
  const database = `test_${process.pid}_${randomBytes(6).toString('hex')}`;
  beforeAll(async () => {
    ensureBuilt();
    const settings = {
      MONGODB_URI: process.env.TEST_MONGODB_URI!,
      MONGODB_DATABASE: database,
      MONGODB_POOL_SIZE: '80',
      // the machine of the tests may be busy with something else
      MONGODB_WAIT_QUEUE_TIMEOUT_MS: '60000',
      AUTH_TOKEN_SECRET: 'a secret of the tests, of forty characters',
      AUTH_ARGON2_MEMORY_KIB: '8192',
      AUTH_ARGON2_ITERATIONS: '1',
      RATE_LIMIT_ENABLED: 'false',
      JOBS_ENABLED: 'false',
      ...frontEnvironment(),
      ...(typeof environment === 'function' ? environment() : environment),
    };
    const host = new SpawnedHost('dist/src/main.js', settings);
    host.start();
    try {
      front = await startFront(await host.url());
      const { url } = front;
      const client = createClient(url);
      served = { host, url, client, author: await signUp(client) };
    } catch (error) {
      await host.remove();
      throw error;
    }
  }, 300_000);
  afterAll(async () => {
    await front?.close();
    await served?.host.remove();
    const mongo = new MongoClient(process.env.TEST_MONGODB_URI!);
    await mongo.db(database).dropDatabase();
    await mongo.close();
  }, 60_000);
  return new Proxy({} as Served, {
    get(_, name: keyof Served) {
      if (served === undefined) throw new Error('the server runs inside hooks and tests only');
      return served[name];
    },
  });
}

/** A second host beside the one that is served, for the block that calls it: a client of each. */
export function useBoth(served: Served): TestClient[] {
  const clients: TestClient[] = [];
  let other: SpawnedHost | undefined;
  beforeAll(async () => {
    const environment = served.host.childEnvironment({ HTTP_PORT: '0' }) as Record<string, string>;
    other = new SpawnedHost('dist/src/main.js', environment);
    other.start();
    clients.push(served.client, createClient(await other.url()));
  }, 120_000);
  afterAll(async () => {
    await other?.remove();
  });
  return clients;
}

/** Writes a post over HTTP. */
export async function publish(
  served: Pick<Served, 'client' | 'author'>,
  fields: Record<string, unknown> = {},
): Promise<{ id: string }> {
  const body = { title: 'Notes', content: 'The engine weaves patterns.', type: 'article', ...fields };
  const answer = await served.client.post<{ id: string }>('/v1/posts', { token: served.author.token, body });
  if (answer.status !== 201) throw new Error(`publishing answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Memory a process holds. */
export function residentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
}

/** The value a share of the measurements stays below. */
export function quantile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
