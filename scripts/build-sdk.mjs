// Builds sdk/dist for `npm pack`: one file of JavaScript, and its types. The only dependency stays outside.
import { execFileSync } from 'node:child_process';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { ROOT } from './lib/prepare.mjs';

const SDK = join(ROOT, 'sdk');
const outdir = join(SDK, 'dist');

rmSync(outdir, { recursive: true, force: true });
await build({
  entryPoints: [join(SDK, 'src/index.ts')],
  outdir,
  bundle: true,
  packages: 'external',
  format: 'esm',
  target: 'es2022',
  logLevel: 'warning',
});
copyFileSync(join(ROOT, 'LICENSE'), join(outdir, 'LICENSE'));
const options = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--outDir', outdir];
execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', SDK, ...options], {
  stdio: 'inherit',
});
