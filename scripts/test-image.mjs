// Builds deploy/docker/Dockerfile without a daemon or an image registry, and runs it as in production: uid 10001, a read-only root.
// Needs root, buildah, debootstrap, and the build in dist/ (for a mongod). The base is Debian with this machine's node, for the test only.
import { execFileSync, spawn } from 'node:child_process';
import { chownSync, copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { prepare, ROOT } from './lib/prepare.mjs';

const UID = 10_001;
// The start usually takes 5 to 17 s, on a busy machine longer.
const READY_WITHIN_MS = 60_000;
const STOPPED_WITHIN_MS = 20_000;
// The image was 113 MiB above its base in 2026-11, with OpenTelemetry.
const MAX_MIB_ABOVE_BASE = 120;
const COMMIT = 'of-this-test';

await prepare();
const { EmbeddedMongod } = await import('../dist/src/platform/embedded-mongod/embedded-mongod.js');
const { findMongodBinary } = await import('../dist/src/platform/embedded-mongod/mongod-binary.js');
const { tryPort } = await import('../dist/src/platform/processes/try-port.js');

const scratch = mkdtempSync(join(tmpdir(), 'opencanvas-image-'));
const storage = ['--root', join(scratch, 'storage'), '--runroot', join(scratch, 'run'), '--storage-driver', 'vfs'];
const run = (command, ...args) => execFileSync(command, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
const buildah = (...args) => String(run('buildah', ...storage, ...args)).trim();
const mibOf = (path) => Number(String(run('du', '-sm', path)).split('\t')[0]);

let mongod;
let server;
try {
  const base = makeBase(join(scratch, 'base'));
  const startedAt = Date.now();
  buildah(
    'bud',
    '--format',
    'docker',
    '--isolation',
    'chroot',
    // npm opens more files at once than the default of buildah, 1,024.
    '--ulimit',
    'nofile=20000:20000',
    '--build-arg',
    `BASE=${base}`,
    '--build-arg',
    `BUILD_COMMIT=${COMMIT}`,
    '-f',
    'deploy/docker/Dockerfile',
    '-t',
    'image',
    '.',
  );
  const root = buildah('mount', buildah('from', 'localhost/image'));
  const mib = mibOf(root) - mibOf(join(scratch, 'base'));
  console.log(`built in ${Math.round((Date.now() - startedAt) / 1_000)} s, ${mib} MiB above its base`);
  if (mib > MAX_MIB_ABOVE_BASE) throw new Error(`more than ${MAX_MIB_ABOVE_BASE} MiB`);

  const { path: binary } = await findMongodBinary({ binary: process.env.MONGOD_BINARY });
  mongod = await EmbeddedMongod.start({ binary, dataDir: join(scratch, 'mongodb'), cacheSizeGB: 0.25 });
  const port = await tryPort('127.0.0.1', 0);
  server = start(root, { MONGODB_URI: mongod.uri, HTTP_PORT: String(port), HTTP_HOST: '127.0.0.1', HTTP_WORKERS: '2' });
  await serves(`http://127.0.0.1:${port}`);
  await stops();
  console.log('the image serves on a read-only root, as uid 10001, and ends by SIGTERM');
} finally {
  server?.child.kill('SIGKILL');
  await mongod?.stop();
  rmSync(scratch, { recursive: true, force: true });
}

/** @returns the name of an image with Debian and this machine's node and npm */
function makeBase(directory) {
  run('debootstrap', '--variant=minbase', 'bookworm', directory);
  copyFileSync(process.execPath, join(directory, 'usr/bin/node'));
  const npm = dirname(dirname(String(run('readlink', '-f', String(run('which', 'npm')).trim())).trim()));
  cpSync(npm, join(directory, 'usr/lib/node_modules/npm'), { recursive: true });
  run('ln', '-sf', '../lib/node_modules/npm/bin/npm-cli.js', join(directory, 'usr/bin/npm'));
  // The image uses the package registry of this machine.
  const settings = join(homedir(), '.npmrc');
  if (existsSync(settings)) copyFileSync(settings, join(directory, 'root/.npmrc'));
  const container = buildah('from', 'scratch');
  const certificates = process.env.NODE_EXTRA_CA_CERTS;
  if (certificates) {
    mkdirSync(join(directory, 'etc/ssl/certs'), { recursive: true });
    copyFileSync(certificates, join(directory, 'etc/ssl/certs/extra.pem'));
    buildah('config', '--env', 'NODE_EXTRA_CA_CERTS=/etc/ssl/certs/extra.pem', container);
  }
  buildah('config', '--env', 'PATH=/usr/bin:/bin', container);
  buildah('add', '-q', container, directory, '/');
  buildah('commit', '-q', '--rm', container, 'base');
  return 'localhost/base';
}

/** Runs the command of the image. Its mounts are visible in this process only, and disappear with the process. */
function start(root, settings) {
  const { Env, Cmd, User, WorkingDir } = JSON.parse(buildah('inspect', '--type', 'image', 'localhost/image')).OCIv1
    .config;
  if (User !== `${UID}:${UID}`) throw new Error(`the image runs as ${User}`);
  const data = join(scratch, 'data');
  mkdirSync(data);
  chownSync(data, UID, UID);
  const script = `set -e
    mount --bind "$1" "$1"
    mount -o remount,ro,bind "$1"
    mount --bind "$2" "$1/data"
    mount -t tmpfs tmpfs "$1/tmp"
    mount -t proc proc "$1/proc"
    mount --rbind /dev "$1/dev"
    cd "$1${WorkingDir}"
    if chroot --userspec=${UID}:${UID} "$1" touch ${WorkingDir}/x 2> /dev/null; then echo "the root can be written to"; exit 1; fi
    root=$1; shift 2
    exec chroot --userspec=${UID}:${UID} "$root" /usr/bin/env -i --chdir=${WorkingDir} "$@"`;
  const env = [
    ...Env,
    ...Object.entries({ ...settings, AUTH_TOKEN_SECRET: 'x'.repeat(48) }).map((pair) => pair.join('=')),
  ];
  const child = spawn('unshare', ['--mount', 'sh', '-c', script, 'sh', root, data, ...env, ...Cmd]);
  const started = {
    child,
    output: '',
    ended: new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal))),
  };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (started.output += String(chunk)));
  return started;
}

async function serves(url) {
  const startedAt = Date.now();
  let status;
  while (status !== 200) {
    if (Date.now() - startedAt > READY_WITHIN_MS || server.child.exitCode !== null)
      throw new Error(`not ready (${status}):\n${server.output}`);
    await sleep(100);
    status = await fetch(`${url}/health/ready`).then((answer) => answer.status, String);
  }
  console.log(`ready after ${((Date.now() - startedAt) / 1_000).toFixed(1)} s`);
  if (!server.output.includes(`+${COMMIT} on Node`))
    throw new Error(`the log does not name the build:\n${server.output}`);
  const feed = await fetch(`${url}/v1/feed`);
  if (feed.status !== 200) throw new Error(`the feed answers ${feed.status}`);
}

async function stops() {
  server.child.kill('SIGTERM');
  const code = await Promise.race([server.ended, sleep(STOPPED_WITHIN_MS, 'nothing', { ref: false })]);
  if (code !== 0) throw new Error(`SIGTERM ended it with ${code}:\n${server.output}`);
}
