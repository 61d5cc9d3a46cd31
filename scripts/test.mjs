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

async function step(name, command, args, env = {}) {
  const startedAt = Date.now();
  console.log(`\n== ${name}`);
  const code = await status(command, args, { env: { ...process.env, ...env } });
  if (code === 130 || code === 143) process.exit(code);
  if (code !== 0) failed.push(name);
  console.log(`== ${name}: ${code === 0 ? 'ok' : 'FAILED'} (${Math.round((Date.now() - startedAt) / 1_000)} s)`);
}

function readResult() {
  if (!existsSync(resultFile)) return undefined;
  const result = JSON.parse(readFileSync(resultFile, 'utf8'));
  rmSync(resultFile);
  return result;
}

/**
 * Specs that kill processes and watch clocks depend on what else the machine does. When two files at most of the whole run failed,
 * they run once more by themselves, and the verdict says so: a mistake of the code fails twice.
 */
function filesToRunAgain() {
  if (patterns.length > 0 || result === undefined) return [];
  const files = result.testResults.filter(({ status: outcome }) => outcome === 'failed').map(({ name }) => name);
  return files.length <= 2 ? files : [];
}

if (patterns.length === 0) {
  await step('lint', ...npm('run', '--silent', 'lint'));
  await step('types', ...npm('run', '--silent', 'typecheck'));
}
const jest = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
// a failed spec may leave a timer or a socket behind: without `--forceExit` the whole run would wait for it for ever
const report = ['--forceExit', '--json', `--outputFile=${resultFile}`];
await step('specs', process.execPath, [...jest, ...report, ...patterns], { NOT_RUN_FILE: notRunFile });

const result = readResult();
const again = filesToRunAgain();
if (again.length > 0) {
  const args = [...jest, ...report, '--runTestsByPath', ...again];
  failed.splice(failed.indexOf('specs'), 1);
  await step('specs that failed, once more', process.execPath, args, { NOT_RUN_FILE: notRunFile });
  const second = readResult();
  for (const file of again) console.log(`Needed a second run: ${file}`);
  result.numFailedTests = second?.numFailedTests ?? result.numFailedTests;
  result.numPassedTests = result.numTotalTests - result.numFailedTests - result.numPendingTests;
  result.numRuntimeErrorTestSuites = second?.numRuntimeErrorTestSuites ?? 1;
}

const notRun = existsSync(notRunFile) ? [...new Set(readFileSync(notRunFile, 'utf8').trim().split('\n'))] : [];
rmSync(scratch, { recursive: true, force: true });

console.log('');
if (notRun.length > 0) console.log(`Not run:\n${notRun.map((line) => `  ${line}`).join('\n')}`);
if (notRun.length > 0 && process.env.CI === 'true') failed.push('suites that were not run');
// a spec that jest skips without telling anybody is not a spec
const skipped = result?.numPendingTests ?? 0;
if (skipped > 0) {
  console.log(`${skipped} tests were skipped by their own code.`);
  if (process.env.CI === 'true') failed.push('skipped tests');
}
if (failed.length > 0) console.log(`Failed: ${failed.join(', ')}`);
const brokenSuites = result?.numRuntimeErrorTestSuites ?? 1;
console.log(`${result?.numPassedTests ?? 0} passed, ${(result?.numFailedTests ?? 0) + brokenSuites} failed`);
process.exit(failed.length > 0 ? 1 : 0);
