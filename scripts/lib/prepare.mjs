// Prepares a clone so that dist/ can run. Plain Node, because it runs before anything is installed.
import { spawn } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const LEAST_NODE = [20, 19, 0];
/** Inputs of the build. Benchmarks use the nginx of test/support. */
const SOURCES = ['src', 'web', 'sdk/src', 'seeds', 'benchmarks', 'test/support/nginx.ts']
  .concat(['build.mjs', 'lib/bundle.mjs', 'lib/site.mjs', 'lib/transpile.mjs'].map((name) => `scripts/${name}`))
  .concat(['package-lock.json']);
/** File that a build writes at its end. */
export const STAMP = join(ROOT, 'dist', '.built');
const LOCK = join(ROOT, 'node_modules', '.opencanvas-prepare');
const LOCK_TIMEOUT_MS = 600_000;
const PROGRESS_EVERY_MS = 5_000;

/** Prepares everything that a command needs, in order. Prints only the steps that it runs. */
export async function prepare() {
  checkNode();
  await locked(areDependenciesCurrent, installDependencies);
  await locked(isBuildCurrent, build);
}

export function checkNode() {
  const have = process.versions.node.split('.').map(Number);
  const difference = LEAST_NODE.map((least, at) => have[at] - least).find((delta) => delta !== 0) ?? 0;
  if (difference >= 0) return;
  console.error(
    `Node ${process.versions.node} is too old: ${LEAST_NODE.join('.')} or newer is needed (https://nodejs.org).`,
  );
  process.exit(1);
}

/** Compares the lock with npm's record of installed packages. Each must be present in its version (optional ones may be missing). */
export function areDependenciesCurrent() {
  try {
    const wanted = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages;
    const installed = JSON.parse(readFileSync(join(ROOT, 'node_modules/.package-lock.json'), 'utf8')).packages;
    return Object.entries(wanted).every(
      ([path, { version, optional, devOptional, peer }]) =>
        path === '' || optional || devOptional || peer || installed[path]?.version === version,
    );
  } catch {
    return false;
  }
}

async function installDependencies() {
  // Another checkout installs the dependencies of a link, and other processes may use them.
  if (lstatSync(join(ROOT, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) {
    console.error('node_modules is a link and does not match package-lock.json; going on with it.');
    return;
  }
  console.log('Installing dependencies (npm ci): half a minute, on a slow machine some …');
  // npm prints nothing before the end.
  const progress = setInterval(() => console.log(`  ${installedPackages()} packages are there`), PROGRESS_EVERY_MS);
  // NODE_ENV=production would omit the compiler.
  await run(...npm('ci', '--include=dev', '--no-fund', '--no-audit'));
  clearInterval(progress);
}

/** Returns the progress of npm: `312 of 917`. */
export function installedPackages(root = ROOT) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const paths = Object.keys(packages).filter((path) => path !== '' && !packages[path].optional);
  return `${paths.filter((path) => existsSync(join(root, path, 'package.json'))).length} of ${paths.length}`;
}

export function isBuildCurrent() {
  if (!existsSync(STAMP)) return false;
  const builtAt = statSync(STAMP).mtimeMs;
  return SOURCES.every((source) => newestChange(join(ROOT, source)) <= builtAt);
}

async function build() {
  console.log('Building …');
  await run(process.execPath, [join(ROOT, 'scripts/build.mjs')]);
}

/** Includes directories, whose time changes when a file is deleted. */
function newestChange(path) {
  const info = statSync(path, { throwIfNoEntry: false });
  if (info === undefined) return 0;
  if (!info.isDirectory()) return info.mtimeMs;
  return readdirSync(path).reduce((newest, name) => Math.max(newest, newestChange(join(path, name))), info.mtimeMs);
}

/** Runs `work` unless `isDone`, under a lock, so that concurrent commands do not install or build at the same time. */
async function locked(isDone, work) {
  if (isDone()) return;
  mkdirSync(dirname(LOCK), { recursive: true });
  const deadline = Date.now() + LOCK_TIMEOUT_MS;
  while (!takeLock()) {
    if (Date.now() > deadline)
      throw new Error(`Another command holds ${LOCK} for too long; remove it if there is none.`);
    await sleep(200);
  }
  try {
    if (!isDone()) await work();
  } finally {
    rmSync(LOCK, { force: true });
  }
}

function takeLock() {
  // npm ci empties node_modules, including the lock. A process that finds no lock may check again whether work remains.
  mkdirSync(dirname(LOCK), { recursive: true });
  try {
    writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    try {
      process.kill(Number(readFileSync(LOCK, 'utf8')), 0);
    } catch (error) {
      if (error.code === 'ESRCH') rmSync(LOCK, { force: true });
    }
    return false;
  }
}

/** Returns the npm that runs this script, or the one on PATH, as arguments for `run`. */
export function npm(...args) {
  const script = process.env.npm_execpath;
  return script?.endsWith('.js') ? [process.execPath, [script, ...args]] : ['npm', args];
}

/** Runs a command on this terminal. Exits with the code of the command after a failure. */
export async function run(command, args, options = {}) {
  const code = await status(command, args, options);
  if (code !== 0) process.exit(code);
}

/** Returns the exit code of a command on this terminal. Forwards stop signals. */
export function status(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: ROOT, stdio: 'inherit', ...options });
    const forward = (signal) => child.kill(signal);
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    for (const signal of signals) process.on(signal, forward);
    const finish = (code) => {
      for (const signal of signals) process.off(signal, forward);
      resolve(code);
    };
    child.once('error', (error) => {
      console.error(`${command} cannot be started: ${error.message}`);
      finish(127);
    });
    child.once('exit', (code, signal) => finish(code ?? (signal === 'SIGINT' ? 130 : 143)));
  });
}
