import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './prepare.mjs';

const PAGE = join(ROOT, 'docs/last-full-run.md');

/** @returns the paths that changed since the last recorded full run, this revision, and a sentence about both */
export function changesSinceFullRun() {
  const head = git('rev-parse', 'HEAD');
  const page = existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : '';
  const [, recorded = '', date] = /Revision `([0-9a-f]{40})`, ([\d-]+)/.exec(page) ?? [];
  const changed = git('diff', '--name-only', recorded, 'HEAD');
  if (recorded !== '' && changed !== undefined) {
    const behind = git('rev-list', '--count', `${recorded}..HEAD`);
    const summary = `This is ${behind} commits after the last full run: ${recorded.slice(0, 7)}, ${date}.`;
    return { head, paths: changed.split('\n'), summary };
  }
  const summary = 'WARNING: no full run is known (CI_FULL=1 .ci/run); this is compared with the commit before.';
  return { head, paths: git('diff', '--name-only', 'HEAD^', 'HEAD')?.split('\n') ?? [], summary };
}

/** Records a run without failures, unless uncommitted changes would make its revision wrong. */
export function writeFullRun(head, { done, tally, seconds }) {
  // The run itself writes durations.
  const changed = git('status', '--porcelain', '--', '.', ':!test/durations.json');
  if (changed !== '') return console.log(`docs/last-full-run.md is not written, files changed:\n${changed}`);
  const rows = done.map(
    ({ name, verdict, seconds: took, passed }) => `| ${name} | ${took} |${passed ? ` ${passed}` : ''} | ${verdict} |`,
  );
  const date = new Date().toISOString().slice(0, 10);
  writeFileSync(
    PAGE,
    `# The last full run

\`CI_FULL=1 .ci/run\` writes this page when all of it passed. \`.ci/run\` runs more when certain paths changed since this revision.

Revision \`${head}\`, ${date}, Node ${process.versions.node}, ${availableParallelism()} cores: ${tally.passed} tests passed in ${Math.round(seconds / 60)} minutes.

| step | seconds | tests passed | |
| --- | ---: | ---: | --- |
${rows.join('\n')}
`,
  );
}

/** @returns undefined if git fails */
function git(...args) {
  try {
    return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}
