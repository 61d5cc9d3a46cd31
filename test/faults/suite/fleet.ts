import { join } from 'node:path';
import { Nginx, UNLIMITED } from '../../support/nginx.js';
import { findComponent } from '../../support/optional.js';
import { RedisServer } from '../../support/redis.js';
import { ROOT, SpawnedHost } from '../../support/spawned-host.js';
import { hostEnvironment, runCli } from './server-under-test.js';

export type FleetOptions = {
  /** Servers on one database; default: one. */
  hosts?: number;
  /** Puts a real nginx in front of the servers. */
  isProxied?: boolean;
  /** The hosts share a real Redis with their cached responses. */
  hasRedis?: boolean;
};

/** Lets a fault move the clock of a host. */
const CLOCK = { NODE_OPTIONS: `--import ${join(ROOT, 'test/faults/fixtures/moved-clock.mjs')}` };

/** Servers on one database, and their URLs for clients: of nginx, or of each server. */
export class Fleet {
  private constructor(
    readonly hosts: SpawnedHost[],
    private readonly isProxied: boolean,
    readonly redis: RedisServer | undefined,
  ) {}

  /** Addresses of the hosts after their start. */
  hostUrls: string[] = [];
  private nginx: Nginx | undefined;

  /** Creates the indexes without starting a server. */
  static async prepare(mongoUri: string, { hosts = 1, isProxied = false, hasRedis }: FleetOptions): Promise<Fleet> {
    const redis = hasRedis === true ? new RedisServer(required('redis-server')) : undefined;
    await redis?.start();
    const shared = redis === undefined ? {} : { REDIS_URL: redis.url, CACHE_L2: 'true' };
    const environments = [];
    for (let at = 0; at < hosts; at++) environments.push(await hostEnvironment(mongoUri));
    const trusted: Record<string, string> = isProxied ? { HTTP_TRUSTED_PROXIES: '127.0.0.1' } : {};
    const spawned = environments.map(
      (own) => new SpawnedHost('dist/bundle/main.js', { ...own, ...trusted, ...shared, ...CLOCK }),
    );
    await runCli(spawned[0]!, ['migrate', 'up']);
    return new Fleet(spawned, isProxied, redis);
  }

  async start(): Promise<void> {
    for (const host of this.hosts) host.start();
    for (const host of this.hosts) this.hostUrls.push(await host.url());
    if (!this.isProxied) return;
    this.nginx = new Nginx(required('nginx'), ...this.hostUrls);
    await this.nginx.start(UNLIMITED);
  }

  /** The URLs for clients. */
  get urls(): string[] {
    return this.nginx === undefined ? this.hostUrls : [this.nginx.url];
  }

  get output(): string {
    return this.hosts.map(({ output }) => output).join('\n');
  }

  async remove(): Promise<void> {
    await this.nginx?.remove();
    for (const host of this.hosts) await host.remove();
    await this.redis?.remove();
  }
}

function required(name: 'nginx' | 'redis-server'): string {
  const binary = findComponent(name);
  if (binary === undefined) throw new Error(`${name} is needed: apt-get install ${name}`);
  return binary;
}
