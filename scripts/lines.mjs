// Counts lines of TypeScript under src without specs, by room, and prints the files of the last ten commits that add one operation to
// the API. CONTRIBUTING.md has the limits.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOMS = { platform: 0, features: 0, other: 0 };
const NOT_FEATURES = new Set(['platform', 'common', 'config', 'cli']);
const byRoom = new Map();

for (const path of readdirSync('src', { recursive: true })) {
  if (!path.endsWith('.ts') || path.endsWith('.spec.ts')) continue;
  const lines = readFileSync(join('src', path), 'utf8').split('\n').length - 1;
  const [first, second] = path.split('/');
  const isRoot = second === undefined;
  const room = isRoot ? '(root)' : first === 'platform' ? `platform/${second}` : first;
  byRoom.set(room, (byRoom.get(room) ?? 0) + lines);
  ROOMS[first === 'platform' ? 'platform' : isRoot || NOT_FEATURES.has(first) ? 'other' : 'features'] += lines;
}
for (const [room, lines] of [...byRoom].sort()) console.log(`${String(lines).padStart(6)}  ${room}`);
const { platform, features, other } = ROOMS;
console.log(
  `platform ${platform}, features ${features}, common, config, cli and root ${other}: ${platform + features + other} lines`,
);

const DOCUMENT = 'docs/openapi.json';
const LAST = 10;
const git = (...args) => execFileSync('git', args, { encoding: 'utf8', maxBuffer: 64 * 2 ** 20 });
const operationsAt = (commit) => {
  const { paths } = JSON.parse(git('show', `${commit}:${DOCUMENT}`));
  return Object.values(paths).flatMap((item) => Object.keys(item)).length;
};

let printed = 0;
for (const commit of git('log', '--format=%h', '-n', '300', '--diff-filter=M', '--', DOCUMENT)
  .split('\n')
  .filter(Boolean)) {
  if (operationsAt(commit) - operationsAt(`${commit}~1`) !== 1) continue;
  const files = git('show', '--name-only', '--format=', commit).split('\n').filter(Boolean);
  console.log(
    `\n${git('show', '-s', '--format=%h %s', commit).trim()}: ${files.length} files\n  ${files.join('\n  ')}`,
  );
  if (++printed === LAST) break;
}
