import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Abstract, Type } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Db } from 'mongodb';
import type { Connection } from 'mongoose';
import { AppConfig } from '../../src/config/app-config.js';
import { ENV_SCHEMA } from '../../src/config/env.schema.js';
import { createApp } from './created-app.js';
import type { ProcessRole } from '../../src/platform/cluster/process-role.js';
import { ensureIndexes } from '../../src/platform/mongo/indexes/indexes.js';
import { patient } from './asked-again.js';
import { createClient, type TestClient } from './client.js';
import { hostsMsOf } from './two-hosts.js';
import { acquainted, FRONT, frontEnvironment, hearing, HEARD_WITHIN_MS, startFront } from './front.js';

/** a seeded dataset on a machine that is busy with other specs */
const START_TIMEOUT_MS = 240_000;

export interface TestApp {
  /** like http://127.0.0.1:41233; of the proxy, where the run has one in front */
  readonly url: string;
  /** of the server itself, for what a proxy does not let through */
  readonly ownUrl: string;
  readonly client: TestClient;
  /** sends again what the server refuses because it has too much to do */
  readonly patient: TestClient;
  readonly app: NestFastifyApplication;
  /** all servers that clients of `url` may reach; the first of them is `app` at `ownUrl` */
  readonly hosts: readonly TestHost[];
  /** A provider of each of them. */
  everyOf: <T>(provider: Type<T> | Abstract<T>) => T[];
  /** what the app wrote */
  readonly db: Db;
  /** Resolves when all hosts have heard what was written: clients do that, a spec that calls a service has to. */
  heard: () => Promise<void>;
  close: () => Promise<void>;
}

/** Whether the run's proxy stands before an app, and how many servers it has. */
export interface Standing {
  hasFront: boolean;
  hosts: number;
}
const WHOLE: Standing = { hasFront: true, hosts: FRONT.hosts };
/** A server that its clients reach without a proxy. */
export const ITSELF: Standing = { hasFront: false, hosts: 1 };

export interface TestHost {
  readonly app: NestFastifyApplication;
  readonly url: string;
}

/** Settings of every app under test: cheap hashing, no limits in the way, silence. Any environment variable can be overridden. */
export function testEnvironment(
  overrides: Record<string, string> = {},
  { hasFront, hosts }: Standing = WHOLE,
): Record<string, string> {
  const uri = process.env.TEST_MONGODB_URI;
  if (!uri) throw new Error('TEST_MONGODB_URI is not set: run the specs with `npm run jest -- <path>`');
  return {
    NODE_ENV: 'test',
    LOG_LEVEL: 'fatal',
    HTTP_PORT: '0',
    HTTP_WORKERS: '1',
    MONGODB_URI: uri,
    MONGODB_DATABASE: `test_${process.pid}_${randomBytes(6).toString('hex')}`,
    MONGODB_POOL_SIZE: '20',
    // mails that no SMTP server is named for
    DATA_DIR: join(tmpdir(), 'opencanvas-tests'),
    AUTH_ARGON2_MEMORY_KIB: '8192',
    AUTH_ARGON2_ITERATIONS: '1',
    RATE_LIMIT_ENABLED: 'false',
    // the machine of the tests may be busy with something else
    HTTP_MAX_EVENT_LOOP_DELAY_MS: '60000',
    HTTP_MAX_IN_FLIGHT: '10000',
    HTTP_MAX_WAIT_MS: '60000',
    HTTP_MAX_CONNECTIONS_PER_ADDRESS: '100000',
    MONGODB_WAIT_QUEUE_TIMEOUT_MS: '60000',
    MONGODB_SERVER_SELECTION_TIMEOUT_MS: '30000',
    // a slow query is explained, which is more work for a machine that is slow already
    MONGODB_SLOW_QUERY_MS: '60000',
    // an index takes threads and a directory: specs of search switch it on
    SEARCH: 'off',
    // takes longer than the rest of the start; /docs is tested on the real server
    HTTP_DOCS: 'false',
    ...(overrides.AUTH_TOKEN_SECRETS === undefined
      ? { AUTH_TOKEN_SECRET: 'a secret of the tests, of forty characters' }
      : {}),
    ...(hasFront && frontEnvironment(hosts)),
    ...overrides,
  };
}

/** A whole app over real HTTP, on a fresh database with its indexes and validators; `close` drops the database. */
export async function startApp(
  overrides: Record<string, string> = {},
  role?: ProcessRole,
  standing: Standing = WHOLE,
): Promise<TestApp> {
  const jobs: Record<string, string> = role === 'all' ? { JOBS_ENABLED: 'true' } : {};
  const environment = testEnvironment({ ...jobs, ...overrides }, standing);
  const app = await createApp(new AppConfig(ENV_SCHEMA.parse(environment)), role);
  const connection = app.get<Connection>(getConnectionToken());
  await ensureIndexes(connection);
  const apps = [app];
  // a database given by the caller has its second host already
  const count = overrides.MONGODB_DATABASE === undefined ? standing.hosts : 1;
  while (apps.length < count) {
    // as on a machine of its own
    const own = { JOBS_ENABLED: 'false', DATA_DIR: join(environment['DATA_DIR']!, `host-${apps.length}`) };
    apps.push(await createApp(new AppConfig(ENV_SCHEMA.parse({ ...environment, ...own }))));
  }
  const hosts: TestHost[] = [];
  for (const one of apps) {
    await one.listen(0, '127.0.0.1');
    hosts.push({ app: one, url: (await one.getUrl()).replace('localhost', '127.0.0.1') });
  }
  const heard = hosts.length > 1 ? hearing(apps) : () => Promise.resolve();
  if (hosts.length > 1) await acquainted(apps);
  const ownUrl = hosts[0]!.url;
  const front = standing.hasFront ? await startFront(...hosts.map((host) => host.url)) : undefined;
  const url = front?.url ?? ownUrl;
  // what says that all hosts have heard is not waited for: it has to be true
  const client = createClient(url, async (headers) => (hostsMsOf(headers) < HEARD_WITHIN_MS ? undefined : heard()));
  const db = connection.db!;
  return {
    url,
    ownUrl,
    client,
    patient: patient(client),
    app,
    hosts,
    everyOf: (provider) => apps.map((one) => one.get(provider, { strict: false })),
    db,
    heard,
    close: async () => {
      await front?.close();
      // a database given by the caller is shared with others
      if (overrides.MONGODB_DATABASE === undefined) await db.dropDatabase();
      for (const one of apps) await closed(one);
    },
  };
}

async function closed(app: NestFastifyApplication): Promise<void> {
  // fetch keeps connections; one that is busy, or accepted only now, would hold the server open for its keep-alive time
  const disconnect = setInterval(() => app.getHttpServer().closeAllConnections(), 100);
  app.getHttpServer().closeAllConnections();
  await app.close();
  clearInterval(disconnect);
}

/**
 * One app for the spec file (or describe block) that calls it; its members can be read inside hooks and tests.
 * @param fill what the database is to hold before the first of them
 */
export function useApp(overrides: Record<string, string> = {}, fill?: (app: TestApp) => Promise<void>): TestApp {
  return useStarted(async () => {
    const app = await startApp(overrides);
    await fill?.(app);
    return app;
  });
}

/** One whose clients reach it without a proxy in every run. @param _because what a proxy in front would hide */
export function useAppItself(_because: string, overrides: Record<string, string> = {}): TestApp {
  return useStarted(() => startApp(overrides, undefined, ITSELF));
}

/** One that is a single server in every run, behind a proxy where there is one. @param _because what is of one server alone */
export function useOneHost(_because: string, overrides: Record<string, string> = {}): TestApp {
  return useStarted(() => startApp(overrides, undefined, { ...WHOLE, hosts: 1 }));
}

/** A further server on the database of an app, which no proxy knows. The caller closes it. */
export function startHostBeside({ db }: TestApp, overrides: Record<string, string> = {}): Promise<TestApp> {
  return startApp({ ...overrides, MONGODB_DATABASE: db.databaseName }, undefined, ITSELF);
}

function useStarted(start: () => Promise<TestApp>): TestApp {
  let running: TestApp | undefined;
  beforeAll(async () => {
    running = await start();
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    await running?.close();
  });
  return new Proxy({} as TestApp, {
    get(_, name: keyof TestApp) {
      if (running === undefined) throw new Error('the app runs inside hooks and tests only');
      return running[name];
    },
  });
}
