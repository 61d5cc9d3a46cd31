import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts, ServerProcess } from './server-process.js';
import { ROOT } from './spawned-host.js';
import { until } from './until.js';

const CONFIGURATION = join(ROOT, 'deploy/prometheus');

export type Series = { metric: Record<string, string>; values: [at: number, value: string][] };

/** A real Prometheus with the configuration and the alerts of deploy/, which scrapes one host each second. */
export class Prometheus extends ServerProcess {
  private port = 0;

  constructor(private readonly binary: string) {
    super('prometheus');
  }

  async start(target: string): Promise<void> {
    [this.port] = (await freePorts(1)) as [number];
    const configuration = readFileSync(join(CONFIGURATION, 'prometheus.yml'), 'utf8')
      .replace('scrape_interval: 15s', 'scrape_interval: 1s\n  evaluation_interval: 1s')
      .replace(/targets: \[.*\]/, `targets: ['${new URL(target).host}']`);
    writeFileSync(join(this.dir, 'prometheus.yml'), configuration);
    copyFileSync(join(CONFIGURATION, 'alerts.yaml'), join(this.dir, 'alerts.yaml'));
    this.spawn(this.binary, [
      `--config.file=${join(this.dir, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(this.dir, 'data')}`,
      `--web.listen-address=127.0.0.1:${this.port}`,
    ]);
    await until(() => this.get('status/buildinfo').catch(() => null));
  }

  /** Returns the result of a range selector, or of an expression. @throws Error if it is not valid */
  async query<T = Series>(query: string): Promise<T[]> {
    return (await this.get<{ result: T[] }>(`query?${new URLSearchParams({ query }).toString()}`)).result;
  }

  async get<T>(path: string): Promise<T> {
    const response = await fetch(`http://127.0.0.1:${this.port}/api/v1/${path}`);
    const { status, data, error } = (await response.json()) as { status: string; data: T; error?: string };
    if (status !== 'success') throw new Error(`${path}: ${error}`);
    return data;
  }
}
