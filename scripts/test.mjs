// `npm test`: on a fresh clone too. Everything that can be wrong, each step to its end, one verdict.
// `npm test -- <path>` runs only the specs that match.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { npm, prepare, ROOT, status } from './lib/prepare.mjs';

process.chdir(ROOT);
await prepare();

const scratch = mkdtempSync(join(tmpdir(), 'opencanvas-npm-test-'));
const notRunFile = join(scratch, 'not-run');
const resultFile = join(scratch, 'jest.json');
const patterns = process.argv.slice(2);
const failed = [];
const TIMED = 'test/faults/';

async function step(name, command, args, env = {}) {
  const startedAt = Date.now();
  console.log(`\n== ${name}`);
  const code = await status(command, args, { env: { ...process.env, ...env } });
  if (code === 130 || code === 143) process.exit(code);
  if (code !== 0) failed.push(name);
  console.log(`== ${name}: ${code === 0 ? 'ok' : 'FAILED'} (${Math.round((Date.now() - startedAt) / 1_000)} s)`);
}

// a failed spec may leave a timer or a socket behind: without `--forceExit` the whole run would wait for it for ever
const jest = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
const report = ['--forceExit', '--json', `--outputFile=${resultFile}`];
const total = { passed: 0, failed: 0, skipped: 0 };
let hasResults = true;

/** Runs specs and adds them to the total; the files in which something failed. */
async function specs(name, args) {
  await step(name, process.execPath, [...jest, ...report, ...args], { NOT_RUN_FILE: notRunFile });
  if (!existsSync(resultFile)) {
    total.failed++;
    hasResults = false;
    return [];
  }
  const result = JSON.parse(readFileSync(resultFile, 'utf8'));
  rmSync(resultFile);
  total.passed += result.numPassedTests;
  total.failed += result.numFailedTests + result.numRuntimeErrorTestSuites;
  total.skipped += result.numPendingTests;
  return result.testResults.filter(({ status: outcome }) => outcome === 'failed');
}

if (patterns.length > 0) {
  await specs('specs', patterns);
} else {
  await step('lint', ...npm('run', '--silent', 'lint'));
  await step('types', ...npm('run', '--silent', 'typecheck'));
  // those that kill processes and watch clocks have the machine for themselves
  const red = await specs('specs', ['--maxWorkers=2', '--testPathIgnorePatterns', TIMED]);
  red.push(...(await specs('specs of faults', ['--runInBand', '--testPathPatterns', TIMED])));
  if (hasResults && red.length > 0 && red.length <= 2) await runAgain(red);
}

/**
 * What kills processes and watches clocks depends on what else the machine does. When two files at most of the whole run failed,
 * they run once more by themselves, and the verdict says so: a mistake of the code fails twice.
 */
async function runAgain(red) {
  for (const { name, assertionResults } of red) {
    console.log(`Needs a second run: ${name}`);
    total.passed -= assertionResults.filter(({ status: outcome }) => outcome === 'passed').length;
    total.skipped -= assertionResults.filter(({ status: outcome }) => outcome === 'pending').length;
  }
  total.failed = 0;
  failed.splice(0, failed.length, ...failed.filter((name) => !name.startsWith('specs')));
  await specs('specs that failed, once more', ['--runInBand', '--runTestsByPath', ...red.map(({ name }) => name)]);
}

const notRun = existsSync(notRunFile) ? [...new Set(readFileSync(notRunFile, 'utf8').trim().split('\n'))] : [];
rmSync(scratch, { recursive: true, force: true });

console.log('');
if (notRun.length > 0) console.log(`Not run:\n${notRun.map((line) => `  ${line}`).join('\n')}`);
if (notRun.length > 0 && process.env.CI === 'true') failed.push('suites that were not run');
// a spec that jest skips without telling anybody is not a spec
if (total.skipped > 0) {
  console.log(`${total.skipped} tests were skipped by their own code.`);
  if (process.env.CI === 'true') failed.push('skipped tests');
}
if (failed.length > 0) console.log(`Failed: ${failed.join(', ')}`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(failed.length > 0 ? 1 : 0);
