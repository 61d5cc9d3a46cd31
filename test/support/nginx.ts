import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { freePorts } from './server-process.js';
import { ROOT } from './spawned-host.js';
import { until } from './until.js';

/** Configuration for operators. */
const CONFIGURATION = join(ROOT, 'deploy/nginx/opencanvas.conf');

/** Replaces limits that clients with a single address would reach. */
export const UNLIMITED = {
  limit_conn: 'opencanvas_connections 60000',
  limit_req: 'zone=opencanvas_sign_in burst=10000 nodelay',
};

function replaced(text: string, from: string | RegExp, to: string): string {
  if (text.search(from) < 0) throw new Error(`not in the configuration: ${String(from)}`);
  return text.replace(from, to);
}

/** Runs a real nginx with the configuration of deploy/ in front of one or more servers: plain HTTP/1.1, and TLS with HTTP/2. */
export class Nginx {
  url = '';
  tlsUrl = '';
  private readonly dir = mkdtempSync(join(tmpdir(), 'opencanvas-nginx-'));
  readonly accessLog = join(this.dir, 'access.log');
  private child: ChildProcess | undefined;

  private readonly upstreams: string[];

  constructor(
    private readonly binary: string,
    ...upstreamUrls: string[]
  ) {
    this.upstreams = upstreamUrls.map((url) => new URL(url).host);
  }

  /** @param directives replace directives of the same name in the configuration, or are added */
  async start(directives: Record<string, string> = {}, wantedPort?: number): Promise<void> {
    const [freePort, tlsPort, otherPort] = await freePorts(3);
    const port = wantedPort ?? freePort;
    const certificate = join(this.dir, 'certificate.pem');
    const key = join(this.dir, 'key.pem');
    execFileSync(
      process.env.OPENSSL_PATH ?? 'openssl',
      // prettier-ignore
      ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1', '-subj', '/CN=localhost', '-keyout', key, '-out', certificate],
      { stdio: 'ignore' },
    );
    const hosts = this.upstreams.map((host) => `server ${host} $1;`).join('\n  ');
    let servers = replaced(readFileSync(CONFIGURATION, 'utf8'), /server 127\.0\.0\.1:3000 ([^;]*);/g, hosts);
    servers = replaced(servers, /listen 443/, `listen 127.0.0.1:${port};\n  listen 127.0.0.1:${tlsPort}`);
    servers = replaced(servers, /listen 80;/, `listen 127.0.0.1:${otherPort};`);
    servers = replaced(servers, /ssl_certificate \S+;/, `ssl_certificate ${certificate};`);
    servers = replaced(servers, /ssl_certificate_key \S+;/, `ssl_certificate_key ${key};`);
    servers = replaced(servers, /access_log \S+/, `access_log ${this.accessLog}`);
    for (const [name, value] of Object.entries(directives)) {
      const known = new RegExp(`\\b${name} [^;]+;`);
      const directive = `${name} ${value};`;
      servers = known.test(servers)
        ? servers.replace(known, directive)
        : replaced(servers, 'proxy_http_version', `${directive}\n  proxy_http_version`);
    }
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${join(this.dir, name)};`)
      .join('\n');
    const user = userInfo();
    const configuration = `${user.uid === 0 ? `user ${user.username};\n` : ''}
worker_processes 1;
daemon off;
pid ${join(this.dir, 'pid')};
error_log ${join(this.dir, 'error.log')};
events { worker_connections 4096; }
http {
access_log off;
${paths}
${servers}
}`;
    const file = join(this.dir, 'nginx.conf');
    writeFileSync(file, configuration);
    this.child = spawn(this.binary, ['-p', this.dir, '-c', file, '-e', join(this.dir, 'error.log')], {
      stdio: 'ignore',
    });
    this.url = `http://127.0.0.1:${port}`;
    this.tlsUrl = `https://127.0.0.1:${tlsPort}`;
    await until(
      () =>
        fetch(`${this.url}/health/live`).then(
          () => true,
          () => null,
        ),
      () => this.log,
    );
  }

  get log(): string {
    return readFileSync(join(this.dir, 'error.log'), 'utf8');
  }

  /** Stops nginx, which can be started again. */
  async stop(): Promise<void> {
    const { child } = this;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.dir, { recursive: true, force: true });
  }
}
