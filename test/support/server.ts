import { readFileSync } from 'node:fs';
import { type Db, MongoClient } from 'mongodb';
import { type Account, insertAccounts, TOKEN_SECRET, Tokens } from '../faults/suite/cast.js';
import { writePosts } from '../faults/suite/server-under-test.js';
import { signUp, type TestAccount } from './accounts.js';
import { createClient, type TestClient } from './client.js';
import { newDatabaseName } from './databases.js';
import { frontEnvironment, startFront } from './front.js';
import { SpawnedHost } from './spawned-host.js';

type Environment = Record<string, string>;

export interface ServerOptions {
  /** Web processes of each host. A host of one has no further process unless it has jobs. */
  processes?: number;
  /** Adds a jobs process to each host. */
  jobs?: boolean;
  /** Servers on the one database. */
  hosts?: number;
  /** Number of accounts without passwords; `posts` is the number of their posts. */
  people?: number;
  posts?: number;
  /** Settings of every host, or a function for settings of earlier hooks. */
  environment?: Environment | (() => Environment);
  /** Settings of all hosts but the first. */
  others?: () => Environment;
}

export interface Server {
  /** The first of the hosts, with its address and a client. */
  readonly host: SpawnedHost;
  readonly url: string;
  readonly client: TestClient;
  readonly hosts: readonly SpawnedHost[];
  readonly clients: readonly TestClient[];
  /** Account registered over HTTP at the first host. */
  readonly author: TestAccount;
  readonly db: Db;
  readonly people: readonly Account[];
  readonly postIds: readonly string[];
  readonly tokens: Tokens;
}

/** Runs the built server like an operator for the calling block, with its own database on the run's mongod. */
export function useServer(options: ServerOptions = {}): Server {
  let running: RunningServer | undefined;
  beforeAll(async () => {
    running = new RunningServer(options);
    await running.start();
  });
  afterAll(() => running?.remove());
  return new Proxy({} as Server, {
    get(_, name: keyof Server) {
      if (running === undefined) throw new Error('the server runs inside hooks and tests only');
      return running[name];
    },
  });
}

class RunningServer implements Server {
  readonly hosts: SpawnedHost[] = [];
  readonly clients: TestClient[] = [];
  readonly tokens = new Tokens();
  readonly db: Db;
  url = '';
  author!: TestAccount;
  people: Account[] = [];
  postIds: string[] = [];
  private readonly mongo = new MongoClient(process.env.TEST_MONGODB_URI!);
  private front: Awaited<ReturnType<typeof startFront>> | undefined;

  constructor(private readonly options: ServerOptions) {
    this.db = this.mongo.db(newDatabaseName());
  }

  get host(): SpawnedHost {
    return this.hosts[0]!;
  }

  get client(): TestClient {
    return this.clients[0]!;
  }

  async start(): Promise<void> {
    const { hosts = 1, people = 0, posts = 0, others } = this.options;
    const host = this.add(this.settings());
    host.start();
    this.front = await startFront(await host.url());
    this.url = this.front.url;
    this.clients.push(createClient(this.url));
    this.author = await signUp(this.client);
    this.people = people === 0 ? [] : await insertAccounts(this.db, people);
    this.postIds = posts === 0 ? [] : await writePosts(this.url, this.tokens, this.people, posts);
    for (let at = 1; at < hosts; at++) {
      const other = this.add({ ...this.settings(), ...others?.() });
      other.start();
      this.clients.push(createClient(await other.url()));
    }
  }

  async remove(): Promise<void> {
    await this.front?.close();
    for (const host of this.hosts) await host.remove();
    await this.db.dropDatabase();
    await this.mongo.close();
  }

  private add(settings: Environment): SpawnedHost {
    const host = new SpawnedHost('dist/bundle/main.js', settings);
    this.hosts.push(host);
    return host;
  }

  private settings(): Environment {
    const { processes = 1, jobs = false, environment = {} } = this.options;
    return {
      MONGODB_URI: process.env.TEST_MONGODB_URI!,
      MONGODB_DATABASE: this.db.databaseName,
      MONGODB_POOL_SIZE: '80',
      MONGODB_WAIT_QUEUE_TIMEOUT_MS: '60000',
      AUTH_TOKEN_SECRET: TOKEN_SECRET,
      AUTH_ARGON2_MEMORY_KIB: '8192',
      AUTH_ARGON2_ITERATIONS: '1',
      RATE_LIMIT_ENABLED: 'false',
      RATE_LIMIT_REGISTRATIONS_PER_HOUR: '1000000',
      NEWCOMER_DAYS: '0',
      HTTP_WORKERS: String(processes),
      JOBS_ENABLED: String(jobs),
      ...frontEnvironment(1),
      ...(typeof environment === 'function' ? environment() : environment),
    };
  }
}

/** Writes a post over HTTP. */
export async function publish(
  { client, author }: Pick<Server, 'client' | 'author'>,
  fields: Record<string, unknown> = {},
): Promise<{ id: string; createdAt: string }> {
  const body = { title: 'Notes', content: 'The engine weaves patterns.', type: 'article', ...fields };
  const { status, body: post } = await client.post('/v1/posts', { token: author.token, body });
  if (status !== 201) throw new Error(`publishing answered ${status}: ${JSON.stringify(post)}`);
  return post;
}

/** Returns the resident memory of a process. */
export function residentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
}

/** Returns the value below which a share of the measurements stays. */
export function quantile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
