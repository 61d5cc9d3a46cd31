import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Abstract, INestApplicationContext, Type } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Db } from 'mongodb';
import type { Connection } from 'mongoose';
import { AppConfig } from '../../src/config/app-config.js';
import { ENV_SCHEMA } from '../../src/config/env.schema.js';
import type { ProfileName } from '../../seeds/profiles.js';
import type { ProcessRole } from '../../src/platform/cluster/process-role.js';
import { IndexSyncService } from '../../src/search/index-sync.service.js';
import { indexPath } from '../../src/search/sqlite/sqlite-engine.js';
import { SearchDocuments } from '../../src/search/search-documents.js';
import { FIRST_STEP, type ScanStep, type Walk, nextWalk } from '../../src/search/search-index.js';
import { patient } from './repeated-requests.js';
import { createClient, type TestClient } from './client.js';
import { createApp } from './created-app.js';
import { useCpuTimeLimits, useSharedCpuPool } from './cpu-pool.js';
import { newDatabaseName, returnDatabase, takeDatabase } from './databases.js';
import { allowSlowDatabase, POOL_WAIT_MS } from './busy-machine.js';
import { FRONT, frontEnvironment, deliveryOf, startFront } from './front.js';
import { IndexAudit } from './index-audit.js';
import { fillWithDataset } from './seeded.js';
import { until } from './until.js';
import { World } from './world.js';

/** signs access tokens, unless a spec has secrets of its own */
export const TEST_SECRET = 'a secret of the tests, of forty characters';

export interface TestApp {
  /** like http://127.0.0.1:41233; of the proxy, if the run has one */
  readonly url: string;
  /** of the server itself, for requests that a proxy would reject */
  readonly ownUrl: string;
  readonly client: TestClient;
  /** retries requests that the server refuses because of overload */
  readonly patient: TestClient;
  readonly app: NestFastifyApplication;
  /** all servers that clients of `url` may reach; the first of them is `app` at `ownUrl` */
  readonly hosts: readonly TestHost[];
  /** A provider of each of them. */
  everyOf: <T>(provider: Type<T> | Abstract<T>) => T[];
  /** the database of the app */
  readonly db: Db;
  /** accounts and their content */
  readonly world: World;
  /** Resolves when all hosts have received the committed events. Clients do this for each write; a spec that calls a service must. */
  untilDelivered: () => Promise<void>;
  close: () => Promise<void>;
}

export interface AppOptions {
  /** environment variables, over those of every app under test */
  env?: Record<string, string>;
  /** with a search index, which this process writes and reads */
  search?: boolean;
  /** a freshly seeded database of this size, in place of an empty one */
  seeded?: ProfileName;
  /** CPU tasks have their limits of CPU time; default: they may take as long as a busy machine needs */
  taskLimits?: boolean;
  /** on the database of another app, which drops it */
  beside?: Pick<TestApp, 'db'>;
  /** `all` runs the jobs, too */
  role?: ProcessRole;
  /** one server without a proxy in every run; the text gives the reason */
  direct?: string;
  /** one server in every run, behind the run's proxy; the text gives the reason */
  oneHost?: string;
}

export interface TestHost {
  readonly app: NestFastifyApplication;
  readonly url: string;
}

/** Settings of every app under test: cheap hashing, high limits, no logs. Any environment variable can be overridden. */
export function testEnvironment(
  overrides: Record<string, string> = {},
  { direct, oneHost }: Pick<AppOptions, 'direct' | 'oneHost'> = {},
): Record<string, string> {
  const uri = process.env.TEST_MONGODB_URI;
  if (!uri) throw new Error('TEST_MONGODB_URI is not set: run the specs with `npm run jest -- <path>`');
  return {
    NODE_ENV: 'test',
    LOG_LEVEL: 'fatal',
    HTTP_PORT: '0',
    HTTP_WORKERS: '1',
    MONGODB_URI: uri,
    MONGODB_DATABASE: newDatabaseName(),
    MONGODB_POOL_SIZE: '20',
    // for mails without an SMTP server
    DATA_DIR: join(tmpdir(), 'opencanvas-tests'),
    AUTH_ARGON2_MEMORY_KIB: '8192',
    AUTH_ARGON2_ITERATIONS: '1',
    RATE_LIMIT_ENABLED: 'false',
    RATE_LIMIT_REGISTRATIONS_PER_HOUR: '1000000',
    NEWCOMER_DAYS: '0',
    // the test machine may be busy with something else
    PROCESS_LOW_PRIORITY: 'false',
    HTTP_MAX_EVENT_LOOP_DELAY_MS: '60000',
    HTTP_MAX_IN_FLIGHT: '10000',
    HTTP_MAX_WAIT_MS: '60000',
    // a thousand clients of one process need time to send, too
    HTTP_HEADERS_TIMEOUT_MS: '120000',
    HTTP_REQUEST_TIMEOUT_MS: '300000',
    HTTP_MAX_CONNECTIONS_PER_ADDRESS: '100000',
    MONGODB_WAIT_QUEUE_TIMEOUT_MS: POOL_WAIT_MS,
    MONGODB_SOCKET_TIMEOUT_MS: '300000',
    MONGODB_SERVER_SELECTION_TIMEOUT_MS: '30000',
    // a slow query is explained, which is more work for a machine that is already slow
    MONGODB_SLOW_QUERY_MS: '60000',
    // an index needs threads and a directory: specs of search switch it on
    SEARCH: 'off',
    // it takes longer than the rest of the start; /docs is tested on the real server
    HTTP_DOCS: 'false',
    ...(overrides.AUTH_TOKEN_SECRETS === undefined ? { AUTH_TOKEN_SECRET: TEST_SECRET } : {}),
    ...(direct === undefined && frontEnvironment(oneHost === undefined ? FRONT.hosts : 1)),
    ...overrides,
  };
}

/** A whole app over real HTTP, on a fresh database with its indexes and validators; `close` drops the database. */
export async function startApp(options: AppOptions = {}): Promise<TestApp> {
  const { role, beside, direct, oneHost } = options;
  const directory = options.search ? mkdtempSync(join(tmpdir(), 'opencanvas-search-')) : undefined;
  // its owner drops a given database, which already has its second host
  const isShared = beside !== undefined || options.env?.MONGODB_DATABASE !== undefined;
  const environment = testEnvironment(
    {
      ...(!isShared && { MONGODB_DATABASE: takeDatabase() }),
      ...(role === 'all' && { JOBS_ENABLED: 'true' }),
      ...(directory !== undefined && { SEARCH: 'sqlite', JOBS_ENABLED: 'false', DATA_DIR: directory }),
      ...(beside !== undefined && { MONGODB_DATABASE: beside.db.databaseName }),
      ...options.env,
    },
    options,
  );
  const app = await createApp(new AppConfig(ENV_SCHEMA.parse(environment)), role);
  const connection = app.get<Connection>(getConnectionToken());
  const apps = [app];
  const count = isShared || direct !== undefined || oneHost !== undefined ? 1 : FRONT.hosts;
  while (apps.length < count) {
    // as on a machine of its own
    const own = { JOBS_ENABLED: 'false', DATA_DIR: join(environment['DATA_DIR']!, `host-${apps.length}`) };
    apps.push(await createApp(new AppConfig(ENV_SCHEMA.parse({ ...environment, ...own }))));
  }
  apps.forEach(allowSlowDatabase);
  const hosts: TestHost[] = [];
  for (const one of apps) {
    // a thousand clients of one process connect before it accepts the first
    await one.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 } as never);
    hosts.push({ app: one, url: (await one.getUrl()).replace('localhost', '127.0.0.1') });
  }
  const untilDelivered = hosts.length > 1 ? await deliveryOf(apps) : () => Promise.resolve();
  const ownUrl = hosts[0]!.url;
  const front = direct === undefined ? await startFront(...hosts.map((host) => host.url)) : undefined;
  const url = front?.url ?? ownUrl;
  const client = createClient(url, untilDelivered);
  const db = connection.db!;
  const declared = new Set(Object.keys(connection.collections));
  const started: TestApp = {
    url,
    ownUrl,
    client,
    patient: patient(client),
    app,
    hosts,
    everyOf: (provider) => apps.map((one) => one.get(provider, { strict: false })),
    db,
    world: new World({ client, db, app, untilDelivered }),
    untilDelivered,
    close: async () => {
      await front?.close();
      for (const one of apps) await closed(one);
      if (!isShared) await returnDatabase(environment['MONGODB_URI']!, db.databaseName, declared);
      if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
    },
  };
  if (options.seeded !== undefined)
    await fillWithDataset(started, options.seeded).catch(async (error: unknown) => {
      await started.close();
      throw error;
    });
  if (options.taskLimits) useCpuTimeLimits(started);
  else useSharedCpuPool(started);
  return started;
}

async function closed(app: NestFastifyApplication): Promise<void> {
  // fetch keeps connections; a busy one, or a new one, would keep the server open for its keep-alive time
  const disconnect = setInterval(() => app.getHttpServer().closeAllConnections(), 100);
  app.getHttpServer().closeAllConnections();
  await app.close();
  clearInterval(disconnect);
}

/** One app for the spec file (or describe block) that calls it; its members can be read inside hooks and tests, `world` anywhere. */
export function useApp(options: AppOptions = {}): TestApp {
  let running: TestApp | undefined;
  beforeAll(async () => {
    running = await startApp(options);
  });
  afterAll(async () => {
    await running?.close();
    // Node keeps the modules of all specs of a process, and with them what they refer to.
    running = undefined;
  });
  const app = new Proxy({} as TestApp, {
    get(_, name: keyof TestApp) {
      if (name === 'world') return world;
      if (running === undefined) throw new Error('the app runs inside hooks and tests only');
      return running[name];
    },
  });
  const world = new World(app);
  return app;
}

/** Resolves when the index contains everything that was written so far. */
export async function indexAll({ hosts }: TestApp): Promise<void> {
  for (const { app, url } of hosts) {
    await app.get(IndexSyncService).rescan();
    const { get } = createClient(url);
    await until(async () => ((await get('/v1/search/suggest?q=a')).status === 200 ? true : null));
  }
}

/** Compares every document of the database with the index of this host. */
export async function auditIndex({
  app,
}: {
  app: Pick<INestApplicationContext, 'get'>;
}): Promise<{ documents: number; differences: string[] }> {
  const audit = IndexAudit.open(indexPath(app.get(AppConfig)));
  if (audit === null) throw new Error('There is no search index yet.');
  const differences: string[] = [];
  let documents = 0;
  try {
    for (let walk: Walk | null = FIRST_STEP; walk !== null;) {
      const step: ScanStep = await app.get(SearchDocuments).next(walk, 500);
      differences.push(...audit.differences(step).map((id) => `${step.kind} ${id}`));
      documents += step.documents.length;
      walk = nextWalk(step);
    }
    if (!audit.hasAllTexts()) differences.push('texts');
    return { documents, differences };
  } finally {
    audit.close();
  }
}
