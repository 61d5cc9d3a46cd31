// Writes the database of a release for the tests of upgrades: `node scripts/release-dump.mjs REVISION NAME [DIRECTORY]`. The release itself
// installs, builds, seeds, serves and backs up; NAME.json gets the facts about its rows, its indexes and its validators.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { compress, decompress } from '@cloudpss/zstd';
import { BSON, MongoClient } from 'mongodb';
import { npm, prepare, ROOT } from './lib/prepare.mjs';
import { addRows } from './lib/release-rows.mjs';

const MAX_BYTES = 2 * 2 ** 20;
const LEVEL = 19;
const DATABASE = 'opencanvas';
const START_TIMEOUT_MS = 120_000;
/** Signs the cursors and encrypts the secrets of the rows, so a test has to start its server with it. */
const AUTH_TOKEN_SECRET = 'the secret of all release dumps in test/data';

const [revision, name, directory = join(ROOT, 'test/data/releases')] = process.argv.slice(2);
if (name === undefined) {
  console.error('Usage: node scripts/release-dump.mjs REVISION NAME [DIRECTORY]');
  process.exit(1);
}
const work = mkdtempSync(join(tmpdir(), 'opencanvas-release-'));
const tree = join(work, 'tree');
const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();

await prepare();
const { startEmbeddedMongod } = await import('../dist/src/platform/embedded-mongod/embedded-mongod.js');
git('worktree', 'add', '--detach', tree, revision);
try {
  run(npm('ci', '--include=dev'));
  run(npm('run', 'build'));
  // The mongod of this program, because early releases start theirs in other ways.
  const mongo = { dataDir: join(work, 'data'), cacheGb: 0.25, binary: process.env.MONGOD_BINARY };
  const mongod = await startEmbeddedMongod({ mongo }, { onProgress: console.log });
  try {
    await dump(mongod.uri);
  } finally {
    await mongod.stop();
  }
} finally {
  git('worktree', 'remove', '--force', tree);
  rmSync(work, { recursive: true, force: true });
}

async function dump(uri) {
  const port = await freePort();
  const env = {
    ...process.env,
    ...{ NODE_ENV: 'development', MONGODB_URI: uri, MONGODB_DATABASE: DATABASE, AUTH_TOKEN_SECRET },
    ...{ DATA_DIR: join(work, 'release'), HTTP_HOST: '127.0.0.1', HTTP_PORT: `${port}`, HTTP_WORKERS: '1' },
  };
  run(npm('run', 'seed', '--', '--profile', 'tiny', '--yes'), env);
  const { paths } = JSON.parse(readFileSync(join(tree, 'docs/openapi.json'), 'utf8'));
  const facts = await withServer(env, port, (url) => addRows(url, paths));
  const backup = join(work, 'backup');
  run([process.execPath, [entry('cli.js'), 'backup', '--out', backup]], env);
  const bytes = await compress(await decompress(readFileSync(backup)), LEVEL);
  if (bytes.length > MAX_BYTES) throw new Error(`The dump has ${bytes.length} bytes, more than ${MAX_BYTES}.`);

  mkdirSync(directory, { recursive: true });
  const target = resolve(directory, name);
  writeFileSync(`${target}.backup`, bytes);
  const { version } = JSON.parse(readFileSync(join(tree, 'package.json'), 'utf8'));
  const about = {
    version,
    revision: git('rev-parse', revision),
    dumpedAt: new Date(),
    authTokenSecret: AUTH_TOKEN_SECRET,
  };
  const collections = await readCollections(uri);
  writeFileSync(`${target}.json`, `${BSON.EJSON.stringify({ ...about, ...facts, collections }, null, 1)}\n`);
  console.log(`${target}.backup has ${bytes.length} bytes, ${target}.json ${statSync(`${target}.json`).size}.`);
}

/** Indexes and validators are not part of a backup, but an upgrade meets them. */
async function readCollections(uri) {
  const client = await new MongoClient(uri).connect();
  try {
    const db = client.db(DATABASE);
    const found = await db.listCollections({ type: 'collection' }).toArray();
    const described = found.map(async ({ name, options }) => [
      name,
      { options, indexes: await db.collection(name).indexes() },
    ]);
    return Object.fromEntries((await Promise.all(described)).sort(([one], [other]) => (one < other ? -1 : 1)));
  } finally {
    await client.close();
  }
}

async function withServer(env, port, use) {
  const server = spawn(process.execPath, [entry('main.js')], { cwd: tree, env, stdio: 'inherit' });
  const ended = once(server, 'exit');
  try {
    const url = `http://127.0.0.1:${port}`;
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (!(await fetch(`${url}/health/ready`).catch(() => null))?.ok) {
      if (server.exitCode !== null || Date.now() > deadline)
        throw new Error('The server of the release did not start.');
      await sleep(200);
    }
    return await use(url);
  } finally {
    server.kill('SIGTERM');
    await ended;
  }
}

/** Releases since 0.2.0 are bundled. */
function entry(file) {
  const bundled = join(tree, 'dist/bundle', file);
  return existsSync(bundled) ? bundled : join(tree, 'dist/src', file);
}

function run([command, args], env = process.env) {
  execFileSync(command, args, { cwd: tree, env, stdio: 'inherit' });
}

/** Below the ports that the system gives to clients. */
async function freePort() {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const probe = createServer();
    const isFree = await new Promise((done) =>
      probe.once('error', () => done(false)).listen(port, '127.0.0.1', () => done(true)),
    );
    if (isFree) await new Promise((closed) => probe.close(closed));
    if (isFree) return port;
  }
}
