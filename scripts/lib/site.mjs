import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const SOURCES = 'web/src';
/** URL of the files, which src/site/site-files.ts serves. */
const ASSETS_PATH = '/assets';
const ENTRIES = {
  client: 'entry-client.tsx',
  public: 'entry-public.ts',
  site: 'styles/site.css',
  formulas: 'styles/formulas.css',
  icon: 'icon.svg',
};
const TARGET = ['chrome109', 'firefox115', 'safari16.4'];
const SHARED = {
  bundle: true,
  format: 'esm',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
  minify: true,
};

/** All browsers of the last years read woff2, so the other two formats of each font are not built. */
const onlyWoff2 = {
  name: 'fonts as woff2',
  setup({ onLoad }) {
    onLoad({ filter: /katex\.min\.css$/ }, ({ path }) => {
      const contents = readFileSync(path, 'utf8').replace(/,url\([^)]+\.(?:woff|ttf)\) format\("\w+"\)/g, '');
      return { contents, loader: 'css' };
    });
  },
};

/**
 * Builds the site: `assets`, whose names change with their content, and `server.js`, which renders pages and knows these names.
 * @returns the paths of all inputs
 */
export async function buildSite(outdir) {
  const assets = join(outdir, 'assets');
  // Not all browsers run workers that import.
  const worker = await build({
    ...SHARED,
    entryPoints: [join(SOURCES, 'push-worker.ts')],
    entryNames: '[name]-[hash]',
    outdir: assets,
    format: 'iife',
    target: TARGET,
  });
  const client = await build({
    ...SHARED,
    entryPoints: Object.values(ENTRIES).map((entry) => join(SOURCES, entry)),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    outdir: assets,
    splitting: true,
    target: TARGET,
    define: { PUSH_WORKER: JSON.stringify(`${ASSETS_PATH}/${basename(Object.keys(worker.metafile.outputs)[0])}`) },
    loader: { '.svg': 'copy', '.woff2': 'file' },
    plugins: [onlyWoff2],
  });
  const names = Object.entries(client.metafile.outputs).flatMap(([file, { entryPoint }]) =>
    entryPoint === undefined ? [] : [[entryPoint, `${ASSETS_PATH}/${basename(file)}`]],
  );
  const paths = Object.fromEntries(names);
  const known = Object.entries(ENTRIES).map(([name, entry]) => [name, paths[join(SOURCES, entry)]]);
  const server = await build({
    ...SHARED,
    entryPoints: [join(SOURCES, 'entry-server.tsx')],
    outfile: join(outdir, 'server.js'),
    platform: 'node',
    target: 'node20.19',
    define: { ASSETS: JSON.stringify(Object.fromEntries(known)) },
  });
  compressFiles(assets);
  return [worker, client, server].flatMap(({ metafile }) => Object.keys(metafile.inputs));
}

/** Writes `name.br` and `name.gz` beside each text. */
function compressFiles(folder) {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) {
    if (!/\.(?:css|js|svg)$/.test(name)) continue;
    const file = join(folder, name);
    const bytes = readFileSync(file);
    const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }));
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
  }
}
