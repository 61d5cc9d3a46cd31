import { fileURLToPath } from 'node:url';
import type { ExpressStyle, PeerName, PeerOptions } from '../peers/peer.js';
import { ChildServer } from './child-server.js';
import type { MemoryGroup } from './memory-group.js';
import type { ProcessRegistry } from './process-registry.js';

/** For the search index of the largest dataset. */
const INDEX_TIMEOUT_MS = 900_000;

/** A server that a suite can load. */
export type SubjectSpec =
  /** `readyPath`: where it is ready; with a search index, unless the suite builds one */
  | {
      kind: 'product';
      database: string;
      workers?: number;
      readyPath?: string;
      env?: Record<string, string>;
      memory?: MemoryGroup;
      /** It searches in a node of OpenSearch, which starts with it and counts as a part of it. */
      hasOpenSearch?: boolean;
    }
  /** This number of product hosts behind a real nginx. */
  | { kind: 'fleet'; database: string; hosts: number; env?: Record<string, string> }
  | { kind: 'peer'; name: PeerName; database: string; workers?: number; style?: ExpressStyle; answersFile?: string }
  /** PocketBase with the data in this directory. */
  | { kind: 'pocketbase'; program: string; directory: string }
  | { kind: 'target'; url: string };

export type RunningSubject = { url: string; pid: number | null };

export type SubjectPoolOptions = {
  mongoUri: string;
  tokenSecret: string;
  defaultLimit: number;
  /** Data directory of the product's processes. */
  dataDir: string;
  /** Flags of every started process. */
  nodeFlags: string[];
};

/**
 * Subjects run until they are no longer needed. Between two runs they are idle, which does not affect other measurements, and a cluster
 * does not start again for every run.
 */
export class SubjectPool {
  private readonly running = new Map<string, ChildServer>();

  constructor(
    private readonly options: SubjectPoolOptions,
    private readonly registry: ProcessRegistry,
  ) {}

  async get(spec: SubjectSpec): Promise<RunningSubject> {
    if (spec.kind === 'target') return { url: spec.url, pid: null };
    const key = JSON.stringify(spec);
    const held = this.running.get(key);
    if (held?.isRunning) return held;
    const server = await this.start(spec);
    this.running.set(key, server);
    return server;
  }

  /** Returns the last output of the subject's processes, to show after a failure. */
  outputOf(spec: SubjectSpec): string {
    return this.running.get(JSON.stringify(spec))?.lastOutput ?? '';
  }

  /** Stops all subjects but the given ones. */
  async keepOnly(specs: SubjectSpec[]): Promise<void> {
    const kept = new Set(specs.map((spec) => JSON.stringify(spec)));
    for (const [key, server] of this.running) {
      if (kept.has(key)) continue;
      this.running.delete(key);
      await server.stop();
    }
  }

  private start(spec: Exclude<SubjectSpec, { kind: 'target' }>): Promise<ChildServer> {
    if (spec.kind === 'product') return this.startProduct(spec);
    if (spec.kind === 'pocketbase') return this.startPocketBase(spec);
    return spec.kind === 'fleet' ? this.startFleet(spec) : this.startPeer(spec);
  }

  /** Starts the bundle as in production, a cluster of one worker per core and a jobs process, unless the suite sets otherwise. */
  private startProduct(spec: SubjectSpec & { kind: 'product' }): Promise<ChildServer> {
    const env = {
      ...this.productSettings(spec.database),
      HTTP_PORT: '{port}',
      ...(spec.workers === undefined ? {} : { HTTP_WORKERS: String(spec.workers) }),
      ...spec.env,
    };
    if (spec.hasOpenSearch !== true)
      return this.startScript('product', '../../bundle/main.js', env, spec.readyPath, spec.memory);
    const { PATH = '', OPENSEARCH_LIBS } = process.env;
    const own = { ...env, PATH, ...(OPENSEARCH_LIBS !== undefined && { OPENSEARCH_LIBS }) };
    // Readiness does not depend on an index that hosts share.
    return this.startScript('opensearch', '../peers/run-opensearch.js', own, '/v1/search?q=ready');
  }

  private startFleet({ database, hosts, env }: SubjectSpec & { kind: 'fleet' }): Promise<ChildServer> {
    const { PATH = '', NGINX_PATH, OPENSSL_PATH } = process.env;
    return this.startScript('fleet', '../peers/run-fleet.js', {
      ...this.productSettings(database),
      PATH,
      ...(NGINX_PATH !== undefined && { NGINX_PATH }),
      ...(OPENSSL_PATH !== undefined && { OPENSSL_PATH }),
      FLEET_HOSTS: String(hosts),
      FLEET_PORT: '{port}',
      HTTP_TRUSTED_PROXIES: '127.0.0.1',
      HTTP_WORKERS: '1',
      ...env,
    });
  }

  private startScript(
    name: string,
    path: string,
    env: Record<string, string>,
    // A search index that is being built takes a core for minutes.
    readyPath = '/health/ready?search=true',
    memory?: MemoryGroup,
  ): Promise<ChildServer> {
    const { dataDir, nodeFlags } = this.options;
    const script = fileURLToPath(new URL(path, import.meta.url));
    const args = [...nodeFlags, script];
    return ChildServer.start(
      { name, args, env, cwd: dataDir, readyPath, startTimeoutMs: INDEX_TIMEOUT_MS, ...(memory && { memory }) },
      this.registry,
    );
  }

  private productSettings(database: string): Record<string, string> {
    const { mongoUri, tokenSecret, dataDir } = this.options;
    return {
      NODE_ENV: 'production',
      AUTH_ALLOW_DEMO_ACCOUNTS: 'true',
      HTTP_HOST: '127.0.0.1',
      MONGODB_URI: mongoUri,
      MONGODB_DATABASE: database,
      DATA_DIR: dataDir,
      AUTH_TOKEN_SECRET: tokenSecret,
      AUTH_ACCESS_TOKEN_TTL_SECONDS: '3600',
      // One address and few accounts send the whole load, so the limits stay enabled but far away.
      RATE_LIMIT_READS_PER_MINUTE: '10000000',
      RATE_LIMIT_WRITES_PER_MINUTE: '10000000',
      RATE_LIMIT_REGISTRATIONS_PER_HOUR: '10000000',
      NEWCOMER_DAYS: '0',
      // A score job during a run would take CPU from the measured subject and change the checked order.
      // The jobs process still runs, as in production.
      JOBS_ENABLED: 'false',
    };
  }

  private startPocketBase({
    kind: name,
    program,
    directory,
  }: SubjectSpec & { kind: 'pocketbase' }): Promise<ChildServer> {
    const args = ['serve', '--http', '127.0.0.1:{port}', '--dir', directory];
    return ChildServer.start({ name, program, args, env: {}, readyPath: '/api/health' }, this.registry);
  }

  private startPeer(spec: SubjectSpec & { kind: 'peer' }): Promise<ChildServer> {
    const { mongoUri, tokenSecret, defaultLimit, nodeFlags } = this.options;
    const { kind: _kind, name, database, ...rest } = spec;
    const options: Omit<PeerOptions, 'port'> = { mongoUri, database, tokenSecret, defaultLimit, ...rest };
    const script = fileURLToPath(new URL('../peers/run-peer.js', import.meta.url));
    // The port is a number in the JSON, which ChildServer inserts like everywhere else.
    const json = JSON.stringify(options).replace(/^\{/, '{"port":{port},');
    // Every account of the machine can read command lines, and the URI contains a password.
    const env = { NODE_ENV: 'production', PEER_OPTIONS: json };
    return ChildServer.start({ name, args: [...nodeFlags, script, name], env, readyPath: '/ready' }, this.registry);
  }
}
