import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { tryPort } from '../../src/platform/processes/try-port.js';
import { Nginx, UNLIMITED } from '../../test/support/nginx.js';
import { findComponent } from '../../test/support/optional.js';

/** Runs hosts of the product on one database behind a real nginx, as children of this process. SIGTERM ends them. */
const { FLEET_HOSTS = '2', FLEET_PORT = '', DATA_DIR = '', ...settings } = process.env;
const script = fileURLToPath(new URL('../../bundle/main.js', import.meta.url));
const children: ChildProcess[] = [];
const urls: string[] = [];
const front: { nginx?: Nginx } = {};
const binary = findComponent('nginx');
if (binary === undefined || findComponent('openssl') === undefined)
  throw new Error('this suite needs nginx and openssl: apt-get install nginx openssl');
// Hosts that outlive this process would take CPU from the next measurement.
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
  void front.nginx?.stop();
});
process.once('SIGTERM', () => {
  void (async () => {
    await front.nginx?.remove();
    for (const child of children) {
      child.removeAllListeners('exit');
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
    }
    process.exit(0);
  })();
});

for (let at = 0; at < Number(FLEET_HOSTS); at++) {
  const port = await tryPort('127.0.0.1', 0);
  // Each host has its own files, like on a separate machine.
  const dataDir = join(DATA_DIR, `host-${at}`);
  mkdirSync(dataDir, { recursive: true });
  const env = { ...settings, HTTP_PORT: String(port), DATA_DIR: dataDir };
  children.push(spawn(process.execPath, [...process.execArgv, script], { env, cwd: dataDir, stdio: 'inherit' }));
  urls.push(`http://127.0.0.1:${port}`);
}
for (const child of children) child.once('exit', () => process.exit(1));

for (const url of urls) while ((await fetch(`${url}/health/ready`).catch(() => null))?.status !== 200) await sleep(100);
front.nginx = new Nginx(binary, ...urls);
await front.nginx.start(UNLIMITED, Number(FLEET_PORT));
