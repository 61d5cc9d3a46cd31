// `npm test`: every spec except the fault tests, also on a fresh clone, with one verdict at the end. `npm test -- <path>`: matching specs.
// `npm run test:e2e -- --front nginx --redis --hosts 2`: over HTTP through a real nginx, two servers on a database and a Redis;
// `--bundle`: the server as it is shipped. `npm run test:faults`: processes killed, networks cut. `-u`: writes the snapshots
// of the specs. `--durations`: see test/durations.json.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs, stripVTControlCharacters } from 'node:util';
import { prepare, ROOT, status } from './lib/prepare.mjs';

const JEST = ['--enable-source-maps', '--import', './test/runner/typescript.mjs', 'node_modules/jest/bin/jest.js'];
const FAULTS = 'test/faults/';

const { values, positionals: patterns } = readOptions();
process.chdir(ROOT);
await prepare();

const scratch = mkdtempSync(join(tmpdir(), 'opencanvas-npm-test-'));
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
const resultFile = join(scratch, 'result.json');
const env = {
  ...process.env,
  NOT_RUN_FILE: join(scratch, 'not-run'),
  ...(values.front && { TEST_FRONT: values.front }),
  ...(values.hosts && { TEST_HOSTS: values.hosts }),
  ...(values.redis && { TEST_REDIS: 'true' }),
  ...(values.bundle && { TEST_BUNDLE: 'true' }),
};

const code = await status(process.execPath, [...JEST, ...jestOptions()], { env });
if (code === 130 || code === 143) process.exit(code);
const failed = [...(code === 0 ? [] : ['specs']), ...tally()];

const notRun = existsSync(env.NOT_RUN_FILE)
  ? [...new Set(readFileSync(env.NOT_RUN_FILE, 'utf8').trim().split('\n'))]
  : [];
console.log('');
if (notRun.length > 0) console.log(`Not run:\n${notRun.map((line) => `  ${line}`).join('\n')}`);
if (notRun.length > 0 && process.env.CI === 'true') failed.push('suites that were not run');
if (patterns.length === 0) console.log('The fault tests run apart: npm run test:faults');
console.log(failed.length > 0 ? `Failed: ${failed.join(', ')}` : 'Everything passed.');
process.exit(failed.length > 0 ? 1 : 0);

/** Rejects wrong options before anything is installed or built. */
function readOptions() {
  try {
    const isGiven = { type: 'boolean' };
    const options = {
      front: { type: 'string' },
      hosts: { type: 'string' },
      redis: isGiven,
      bundle: isGiven,
      durations: isGiven,
      update: { ...isGiven, short: 'u' },
    };
    const read = parseArgs({ allowPositionals: true, options });
    const { front = 'nginx', hosts = '1' } = read.values;
    if (front !== 'nginx') throw new Error(`--front ${front}: only nginx can stand before the servers.`);
    if (!/^[1-9]\d*$/.test(hosts)) throw new Error(`--hosts ${hosts}: it must be a whole number from 1.`);
    return read;
  } catch (error) {
    // The rest of the message explains arguments that begin with a dash.
    console.error(error.message.split('. To specify')[0]);
    process.exit(2);
  }
}

function jestOptions() {
  // All specs on two cores: 543 s and 773 s of CPU in three lanes, 437 s and 783 in four, 458 s and 848 in five. A fault test starts
  // servers of several processes, so it leaves less of a core to others.
  const waiting = patterns.some((pattern) => pattern.includes(FAULTS)) ? 1 : 2;
  // In addition to one lane per core, see test/runner/lanes.mjs.
  const lanes = availableParallelism() + waiting;
  const reporters = ['default', './test/runner/durations.mjs'].map((name) => `--reporters=${name}`);
  return [
    // The patterns come first, because the options below take all following arguments.
    ...patterns,
    '--json',
    `--outputFile=${resultFile}`,
    `--maxWorkers=${lanes}`,
    ...(values.durations ? reporters : []),
    ...(values.update ? ['--updateSnapshot'] : []),
    ...(patterns.length === 0 ? ['--testPathIgnorePatterns', FAULTS] : []),
    // This spec starts its own servers, without a front.
    ...(values.front === undefined ? [] : ['--testPathIgnorePatterns', 'e2e/quickstart']),
  ];
}

/** Prints the summary of the Jest run. @returns problems other than failed tests */
function tally() {
  if (!existsSync(resultFile)) return [];
  const result = JSON.parse(readFileSync(resultFile, 'utf8'));
  console.log('');
  for (const line of failures(result)) console.log(line);
  console.log(`${result.numPassedTests} passed, ${result.numFailedTests + result.numRuntimeErrorTestSuites} failed`);
  // A test that skips itself proves nothing.
  if (result.numPendingTests === 0) return [];
  console.log(`${result.numPendingTests} tests were skipped by their own code.`);
  return process.env.CI === 'true' ? ['skipped tests'] : [];
}

/** Returns a line for each failed test, or file that did not run: its place, and the essence of its message. */
function failures({ testResults }) {
  return testResults.flatMap(({ name: path, message, assertionResults }) => {
    const file = relative(ROOT, path);
    const line = (name, text) => `FAILED TEST ${file}${name}: ${essence(text ?? '', file)}`;
    const failed = assertionResults.filter(({ status }) => status === 'failed');
    if (failed.length === 0) return assertionResults.length === 0 ? [line('', message)] : [];
    return failed.map(({ fullName, failureMessages }) => line(` › ${fullName}`, failureMessages[0]));
  });
}

/** Returns the first line of Jest's message, its values or the first lines of its diff, and the line of `file` that failed. */
function essence(message, file) {
  const lines = stripVTControlCharacters(message).trim().split('\n');
  const values = lines.filter((line) => /^((Expected|Received|Rejected|Resolved)\b.*: |[-+] {2,}).{1,100}$/.test(line));
  const at = lines.map((line) => line.split(`${file}:`)[1]).find((place) => place !== undefined);
  const place = at === undefined ? [] : [`at line ${Number.parseInt(at)}`];
  return [lines[0], ...values.slice(0, 6), ...place].join('; ');
}
