import { Nginx, UNLIMITED } from '../../support/nginx.js';
import { findComponent } from '../../support/optional.js';
import { SpawnedHost } from '../../support/spawned-host.js';
import { hostEnvironment, runCli } from './server-under-test.js';

export type FleetOptions = {
  /** Servers on one database; default: one. */
  hosts?: number;
  /** Puts a real nginx in front of the servers. */
  isProxied?: boolean;
};

/** Servers on one database, and their URLs for clients: of nginx, or of each server. */
export class Fleet {
  private constructor(
    readonly hosts: SpawnedHost[],
    private readonly isProxied: boolean,
  ) {}

  /** Addresses of the hosts after their start. */
  hostUrls: string[] = [];
  private nginx: Nginx | undefined;

  /** Creates the indexes without starting a server. */
  static async prepare(mongoUri: string, { hosts = 1, isProxied = false }: FleetOptions): Promise<Fleet> {
    const environments = [];
    for (let at = 0; at < hosts; at++) environments.push(await hostEnvironment(mongoUri));
    const trusted: Record<string, string> = isProxied ? { HTTP_TRUSTED_PROXIES: '127.0.0.1' } : {};
    const spawned = environments.map((own) => new SpawnedHost('dist/bundle/main.js', { ...own, ...trusted }));
    await runCli(spawned[0]!, ['migrate', 'up']);
    return new Fleet(spawned, isProxied);
  }

  async start(): Promise<void> {
    for (const host of this.hosts) host.start();
    for (const host of this.hosts) this.hostUrls.push(await host.url());
    if (!this.isProxied) return;
    const binary = findComponent('nginx');
    if (binary === undefined) throw new Error('nginx is needed: apt-get install nginx');
    this.nginx = new Nginx(binary, ...this.hostUrls);
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
  }
}
