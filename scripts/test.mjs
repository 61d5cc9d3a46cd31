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

if (patterns.length === 0) {
  await step('lint', ...npm('run', '--silent', 'lint'));
  await step('types', ...npm('run', '--silent', 'typecheck'));
}
const jest = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
const report = ['--json', `--outputFile=${resultFile}`, ...patterns];
await step('specs', process.execPath, [...jest, ...report], { NOT_RUN_FILE: notRunFile });

const notRun = existsSync(notRunFile) ? [...new Set(readFileSync(notRunFile, 'utf8').trim().split('\n'))] : [];
const result = existsSync(resultFile) ? JSON.parse(readFileSync(resultFile, 'utf8')) : undefined;
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
