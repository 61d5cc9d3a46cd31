// `npm run build`: dist has a JavaScript file per source, dist/bundle the files for production.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { bundle, NOT_BUNDLED } from './lib/bundle.mjs';
import { ROOT, STAMP } from './lib/prepare.mjs';
import { buildSite } from './lib/site.mjs';
import { transpile } from './lib/transpile.mjs';

/** benchmarks/peers/run-fleet.ts uses the nginx of test/support. */
const FOLDERS = ['src', 'seeds', 'benchmarks', 'test/support'];

process.chdir(ROOT);
rmSync('dist', { recursive: true, force: true });
for (const folder of FOLDERS) {
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!name.endsWith('.ts') || name.endsWith('.spec.ts')) continue;
    const source = join(folder, name);
    const target = join('dist', source.replace(/\.ts$/, '.js'));
    const sourceFileName = relative(dirname(target), source);
    const { code, map } = transpile(source, { sourceMaps: true, sourceFileName });
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, `${code}//# sourceMappingURL=${basename(target)}.map\n`);
    writeFileSync(`${target}.map`, map);
  }
}
await bundle('dist/bundle', await buildSite('dist/bundle/site'));
// The bundle runs without the sources, so this file contains their version and commit, and the packages beside the bundle.
const { version, dependencies: all } = JSON.parse(readFileSync('package.json', 'utf8'));
const dependencies = Object.fromEntries(NOT_BUNDLED.map((name) => [name, all[name]]));
writeFileSync('dist/bundle/package.json', JSON.stringify({ type: 'module', version, commit: commit(), dependencies }));
writeFileSync(STAMP, '');

/** Returns BUILD_COMMIT, or the commit of the clone (with `-dirty` when files differ from it); undefined without either. */
function commit() {
  const given = process.env.BUILD_COMMIT;
  if (given) return given;
  if (!existsSync('.git')) return undefined;
  try {
    const options = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
    return execFileSync('git', ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*'], options).trim();
  } catch {
    return undefined;
  }
}
