// Builds sdk/dist for `npm pack`: one file of JavaScript for `import` and one for `require`, and their types. The only dependency stays
// outside.
import { execFileSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, transform } from 'esbuild';
import { ROOT } from './lib/prepare.mjs';

const SDK = join(ROOT, 'sdk');
const outdir = join(SDK, 'dist');
const target = 'es2022';

rmSync(outdir, { recursive: true, force: true });
await build({
  entryPoints: [join(SDK, 'src/index.ts')],
  outdir,
  bundle: true,
  packages: 'external',
  format: 'esm',
  target,
  logLevel: 'warning',
});
// A second bundle would require openapi-fetch as Node imports CommonJS, without its default export.
const { code } = await transform(readFileSync(join(outdir, 'index.js'), 'utf8'), { format: 'cjs', target });
writeFileSync(join(outdir, 'index.cjs'), code);
copyFileSync(join(ROOT, 'LICENSE'), join(outdir, 'LICENSE'));
const options = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--outDir', outdir];
execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', SDK, ...options], {
  stdio: 'inherit',
});
// TypeScript requires .d.cts files for the types of a CommonJS file.
for (const name of readdirSync(outdir).filter((file) => file.endsWith('.d.ts'))) {
  const types = readFileSync(join(outdir, name), 'utf8').replace(/(from (['"])\.\/[a-z]+)\.js\2/g, '$1.cjs$2');
  writeFileSync(join(outdir, name.replace(/ts$/, 'cts')), types);
}
