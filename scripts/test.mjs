// `npm test`: on a fresh clone too. Lint, types and every spec but the fault tests, one verdict at the end.
// `npm test -- <path>` runs the specs that match; `npm run test:faults` those that kill processes and watch clocks.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { npm, prepare, ROOT, status } from './lib/prepare.mjs';

const FAULTS = 'test/faults/';
/** Most specs wait for a server or a database half of the time, so one more runs than there are cores. */
const MOST_WORKERS = 4;
const workers = Math.min(MOST_WORKERS, availableParallelism() + 1);

process.chdir(ROOT);
await prepare();

const scratch = mkdtempSync(join(tmpdir(), 'opencanvas-npm-test-'));
const notRunFile = join(scratch, 'not-run');
const patterns = process.argv.slice(2);
const failed = [];

if (patterns.length > 0) {
  // what watches clocks has the machine for itself
  const isTimed = patterns.some((pattern) => pattern.startsWith(FAULTS.slice(0, -1)));
  await specs(isTimed ? ['--runInBand', ...patterns] : [`--maxWorkers=${workers}`, ...patterns]);
} else {
  // they compute while specs wait
  const checks = [
    inBackground('lint', ...npm('run', '--silent', 'lint')),
    inBackground('types', ...npm('run', '--silent', 'typecheck')),
  ];
  await specs([`--maxWorkers=${workers}`, '--testPathIgnorePatterns', FAULTS]);
  for (const check of checks) report(await check);
}

const notRun = existsSync(notRunFile) ? [...new Set(readFileSync(notRunFile, 'utf8').trim().split('\n'))] : [];
rmSync(scratch, { recursive: true, force: true });

console.log('');
if (notRun.length > 0) console.log(`Not run:\n${notRun.map((line) => `  ${line}`).join('\n')}`);
if (notRun.length > 0 && process.env.CI === 'true') failed.push('suites that were not run');
if (patterns.length === 0) console.log('The fault tests run apart: npm run test:faults');
console.log(failed.length > 0 ? `Failed: ${failed.join(', ')}` : 'Everything passed.');
process.exit(failed.length > 0 ? 1 : 0);

async function specs(args) {
  const startedAt = Date.now();
  const resultFile = join(scratch, 'jest.json');
  const jest = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
  const env = { ...process.env, NOT_RUN_FILE: notRunFile };
  console.log('\n== specs');
  const code = await status(process.execPath, [...jest, '--json', `--outputFile=${resultFile}`, ...args], { env });
  if (code === 130 || code === 143) process.exit(code);
  report({ name: 'specs', code, startedAt });
  if (!existsSync(resultFile)) return;
  const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, numPendingTests } = JSON.parse(
    readFileSync(resultFile, 'utf8'),
  );
  console.log(`${numPassedTests} passed, ${numFailedTests + numRuntimeErrorTestSuites} failed`);
  // a test that its own code skips proves nothing
  if (numPendingTests > 0) {
    console.log(`${numPendingTests} tests were skipped by their own code.`);
    if (process.env.CI === 'true') failed.push('skipped tests');
  }
}

/** Runs a command with low priority; its output is kept until it is reported. */
function inBackground(name, command, args) {
  const startedAt = Date.now();
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  process.once('exit', () => child.kill());
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  return new Promise((resolve) => {
    child.once('error', ({ message }) => resolve({ name, code: 127, startedAt, output: message, endedAt: Date.now() }));
    child.once('close', (code) => resolve({ name, code, startedAt, output, endedAt: Date.now() }));
  });
}

function report({ name, code, startedAt, endedAt = Date.now(), output = '' }) {
  if (output.trim() !== '') console.log(`\n${output.trim()}`);
  console.log(`\n== ${name}: ${code === 0 ? 'ok' : 'FAILED'} (${Math.round((endedAt - startedAt) / 1_000)} s)`);
  if (code !== 0) failed.push(name);
}
