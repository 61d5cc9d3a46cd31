// `npm test`: on a fresh clone too. Every spec but the fault tests, one verdict at the end.
// `npm run test:e2e -- --front nginx --redis --hosts 2`: over HTTP through a real nginx, two servers on a database and a Redis.
// `npm run test:faults`: those that kill processes and watch clocks. `npm test -- <path>`: the specs that match.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { prepare, ROOT, status } from './lib/prepare.mjs';

const JEST = ['--enable-source-maps', '--import', './test/runner/typescript.mjs', 'node_modules/jest/bin/jest.js'];
const FAULTS = 'test/faults/';
/** These wait for leases, back-offs and silent networks most of the time, or watch no clock; so they run beside the others. */
const WAITING = ['back-off', 'backup', 'broken-addresses', 'collections-kill', 'disk-full', 'drafts-kill']
  .concat(['export-memory', 'hanging-database', 'home-timeline-kill', 'index-writer', 'kafka-kill', 'media-kill'])
  .concat(['network', 'outbox-kill', 'process-errors', 'received-likes', 'score-kill', 'score-pause', 'search-kill'])
  .concat(['stuck-worker', 'two-hosts'])
  .map((name) => `${FAULTS}${name}\\.spec`)
  .join('|');
/** Most specs wait for a server or a database half of the time, so one more runs than there are cores. */
const MOST_WORKERS = 4;
const WORKERS = `--maxWorkers=${Math.min(MOST_WORKERS, availableParallelism() + 1)}`;

const { values, positionals: patterns } = readOptions();
process.chdir(ROOT);
await prepare();

const scratch = mkdtempSync(join(tmpdir(), 'opencanvas-npm-test-'));
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
const env = {
  ...process.env,
  NOT_RUN_FILE: join(scratch, 'not-run'),
  ...(values.front && { TEST_FRONT: values.front }),
  ...(values.hosts && { TEST_HOSTS: values.hosts }),
  ...(values.redis && { TEST_REDIS: 'true' }),
};
const failed = [];

if (patterns.length === 0) {
  await specs('specs', [WORKERS, '--testPathIgnorePatterns', FAULTS]);
} else if (patterns.length === 1 && patterns[0] === FAULTS) {
  const beside = 'fault specs that wait';
  const waiting = inBackground(
    beside,
    process.execPath,
    jest(beside, ['--runInBand', '--testPathPatterns', WAITING]),
    0,
  );
  await specs('fault specs', ['--runInBand', '--testPathPatterns', FAULTS, '--testPathIgnorePatterns', WAITING]);
  report(await waiting);
  tally(beside);
} else {
  // starts servers of its own, which stand behind nothing; last, since the option takes all that follows it
  const alone = values.front === undefined ? [] : ['--testPathIgnorePatterns=e2e/quickstart'];
  const isTimed = patterns.some((pattern) => pattern.startsWith(FAULTS));
  await specs('specs', [isTimed ? '--runInBand' : WORKERS, ...patterns, ...alone]);
}

const notRun = existsSync(env.NOT_RUN_FILE)
  ? [...new Set(readFileSync(env.NOT_RUN_FILE, 'utf8').trim().split('\n'))]
  : [];

console.log('');
if (notRun.length > 0) console.log(`Not run:\n${notRun.map((line) => `  ${line}`).join('\n')}`);
if (notRun.length > 0 && process.env.CI === 'true') failed.push('suites that were not run');
if (patterns.length === 0) console.log('The fault tests run apart: npm run test:faults');
console.log(failed.length > 0 ? `Failed: ${failed.join(', ')}` : 'Everything passed.');
process.exit(failed.length > 0 ? 1 : 0);

/** What is wrong with them ends the command before anything is installed or built. */
function readOptions() {
  try {
    const options = { front: { type: 'string' }, redis: { type: 'boolean' }, hosts: { type: 'string' } };
    const read = parseArgs({ allowPositionals: true, options });
    const { front = 'nginx', hosts = '1' } = read.values;
    if (front !== 'nginx') throw new Error(`--front ${front}: only nginx can stand before the servers.`);
    if (!/^[1-9]\d*$/.test(hosts)) throw new Error(`--hosts ${hosts}: it must be a whole number from 1.`);
    return read;
  } catch (error) {
    // parseArgs goes on about arguments that begin with a dash
    console.error(error.message.split('. To specify')[0]);
    process.exit(2);
  }
}

function jest(name, args) {
  return [...JEST, '--json', `--outputFile=${resultFile(name)}`, ...args];
}

function resultFile(name) {
  return join(scratch, `${name}.json`);
}

async function specs(name, args) {
  const startedAt = Date.now();
  console.log(`\n== ${name}`);
  const code = await status(process.execPath, jest(name, args), { env });
  if (code === 130 || code === 143) process.exit(code);
  report({ name, code, startedAt, endedAt: Date.now(), output: '' });
  tally(name);
}

/** Runs a command beside the others; its output is kept until it is reported. */
function inBackground(name, command, args, priority = constants.priority.PRIORITY_BELOW_NORMAL) {
  const startedAt = Date.now();
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  if (child.pid !== undefined) setPriority(child.pid, priority);
  process.once('exit', () => child.kill());
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  return new Promise((resolve) => {
    const end = (code) => resolve({ name, code, startedAt, endedAt: Date.now(), output });
    child.once('error', ({ message }) => {
      output += message;
      end(127);
    });
    child.once('close', end);
  });
}

function report({ name, code, startedAt, endedAt, output }) {
  if (output.trim() !== '') console.log(`\n${output.trim()}`);
  console.log(`\n== ${name}: ${code === 0 ? 'ok' : 'FAILED'} (${Math.round((endedAt - startedAt) / 1_000)} s)`);
  if (code !== 0) failed.push(name);
}

/** What a run of jest left of itself. */
function tally(name) {
  if (!existsSync(resultFile(name))) return;
  const result = JSON.parse(readFileSync(resultFile(name), 'utf8'));
  console.log(`${result.numPassedTests} passed, ${result.numFailedTests + result.numRuntimeErrorTestSuites} failed`);
  // a test that its own code skips proves nothing
  if (result.numPendingTests === 0) return;
  console.log(`${result.numPendingTests} tests were skipped by their own code.`);
  if (process.env.CI === 'true') failed.push('skipped tests');
}
