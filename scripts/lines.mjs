// Counts lines of TypeScript under src without specs, by room. CONTRIBUTING.md has the limits.
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
