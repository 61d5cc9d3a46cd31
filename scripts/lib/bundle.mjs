import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';

const require = createRequire(import.meta.url);

/** Entry files of processes and threads, in one folder, so that `new URL('./x.js', import.meta.url)` finds each. */
const PROCESSES = ['main', 'cli', 'create-app', '../seeds/seed'].concat([
  'media/image.child',
  'platform/backup/snapshot-window.child',
]);
/** A thread shares no memory with its process, so chunks that both load would only be smaller, and more. */
const THREADS = ['platform/cpu-pool/cpu-pool.thread', 'search/sqlite/thread/index.thread']
  .concat(['rendering/render.task', 'rendering/html-to-markdown.task', 'revisions/diff.task', 'comments/comments.task'])
  .concat(['opencanvas/safe-markdown.task', 'rules/match.task', 'imports/addresses.task']);

/** Packages with a native part, with files beside their code, or loaded before all others: they stay in node_modules. */
export const NOT_BUNDLED = ['@cloudpss/zstd', '@fastify/static', '@node-rs/argon2', '@photostructure/sqlite']
  .concat(['@platformatic/kafka', 'mongodb-memory-server-core', 'piscina', 'reflect-metadata', 'sharp'])
  .concat(['@opentelemetry/exporter-trace-otlp-http', '@opentelemetry/resources', '@opentelemetry/sdk-trace-base'])
  .concat('swagger-ui-dist');

/** Optional packages, which Nest and mongodb do not require. */
const OPTIONAL = ['@fastify/view', '@nestjs/microservices*', '@nestjs/platform-express', '@nestjs/websockets*']
  .concat(['@aws-sdk/*', '@mongodb-js/zstd', 'aws4', 'gcp-metadata', 'kerberos', 'mongodb-client-encryption'])
  .concat(['class-transformer/storage', 'snappy', 'socks']);

/** CommonJS packages need a `require`, and decorators need reflect-metadata first. */
const BANNER = `import 'reflect-metadata';
import { createRequire as createRequire$ } from 'node:module';
const require = createRequire$(import.meta.url), __filename = import.meta.filename, __dirname = import.meta.dirname;`;

/** Node gives these CommonJS packages named exports. esbuild would export only `default` to `import()`. */
const namedExports = {
  name: 'named exports',
  setup({ onResolve, onLoad }) {
    onResolve(
      {
        filter: /^(mongodb|mongoose|class-transformer|class-validator|ioredis|nodemailer|yauzl|yazl)$/,
      },
      ({ path, kind }) => (kind === 'require-call' ? undefined : { path, namespace: 'named' }),
    );
    onLoad({ filter: /.*/, namespace: 'named' }, async ({ path }) => {
      const file = require.resolve(path);
      const names = Object.keys(await import(file)).filter((name) => !['default', 'module.exports'].includes(name));
      const lines = names.map((name) => `export const ${name} = all.${name};`);
      const contents = [`const all = require(${JSON.stringify(file)});`, 'export default all;', ...lines].join('\n');
      return { contents, resolveDir: import.meta.dirname };
    });
  },
};

/** class-validator needs the rules of all countries for `@IsPhoneNumber`, which nothing uses: 2 MB in each process. */
const withoutPhones = {
  name: 'no phone numbers',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^libphonenumber-js/ }, () => ({ path: 'libphonenumber-js', namespace: 'empty' }));
    onLoad({ filter: /.*/, namespace: 'empty' }, () => ({ contents: 'module.exports = {};' }));
  },
};

/** node has the URL class that mongodb takes from a package with tables of all Unicode names: 300 kB in each process. */
const urlOfNode = {
  name: 'URL of node',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^whatwg-url$/ }, () => ({ path: 'whatwg-url', namespace: 'url' }));
    onLoad({ filter: /.*/, namespace: 'url' }, () => ({ contents: 'module.exports = { URL, URLSearchParams };' }));
  },
};

const nestInBundle = {
  name: 'Nest in a bundle',
  setup({ onLoad }) {
    // esbuild does not see the `require` that Nest creates here, so rules would be registered in a second copy of these packages.
    onLoad({ filter: /@nestjs\/mapped-types\/dist\/.*\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace('const require = createRequire(import.meta.url);', ''),
    }));
    // Nest knows a class by the space behind `class`, which is not there without white space.
    onLoad({ filter: /@nestjs\/mongoose\/dist\/factories\/definitions\.factory\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace('/^class\\s/', '/^class\\b/'),
    }));
  },
};

/** @param others paths of files of which other outputs contain a part, for the licenses */
export async function bundle(outdir, others) {
  const builds = [await bundleTogether(outdir, PROCESSES), await bundleTogether(outdir, THREADS)];
  const outputs = Object.assign({}, ...builds.map((one) => one.outputs));
  for (const [file, { inputs }] of Object.entries(outputs)) requireFiles(file, Object.keys(inputs));
  for (const { inputs } of builds) requireNamedExports(inputs);
  nameClassesOnly(Object.keys(outputs).filter((file) => file.endsWith('.js')));
  const inputs = builds.flatMap((one) => Object.keys(one.inputs));
  writeFileSync(join(outdir, 'LICENSES.txt'), licenses([...inputs, ...others]));
}

async function bundleTogether(outdir, entries) {
  const { metafile } = await build({
    entryPoints: entries.map((entry) => `dist/src/${entry}.js`),
    entryNames: '[name]',
    chunkNames: 'chunk-[hash]',
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    // Nest names providers, pipes and errors by their classes.
    keepNames: true,
    // Node keeps the text of all loaded code: a third less, in each process.
    minifyWhitespace: true,
    sourcemap: true,
    sourcesContent: false,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
    external: [...NOT_BUNDLED, ...OPTIONAL],
    banner: { js: BANNER },
    plugins: [namedExports, withoutPhones, urlOfNode, nestInBundle],
  });
  return metafile;
}

const HELPER = 'var __name=(target,value)=>__defProp(target,"name",{value,configurable:true});';
const NAME_CLASSES =
  'var __name=(target,of)=>typeof target==="string"?__defProp(of,"name",{value:target,configurable:true}):target;';
const OF_CLASS = /__name\(this,("[^"]+")\)/g;

/** One character above U+00FF doubles the text that node keeps of a file; regular expressions may be written with escapes. */
const escapeUnicode = (text) =>
  text.replace(/[^\x00-\xff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/**
 * `keepNames` also names each arrow function whenever it is created, which took 9 % of the CPU of a vote in a web process. The new text is
 * as long as the old one, because everything is on a few lines, and the source maps have its columns.
 */
function nameClassesOnly(files) {
  const texts = files.map((file) => [file, readFileSync(file, 'utf8')]);
  if (!texts.some(([, text]) => text.includes(HELPER)) || !texts.some(([, text]) => text.search(OF_CLASS) !== -1))
    throw new Error('esbuild names classes in another way: adapt nameClassesOnly.');
  for (const [file, text] of texts) {
    const named = text.replace(OF_CLASS, '__name($1,this)');
    writeFileSync(file, escapeUnicode(named.replace(HELPER, NAME_CLASSES)));
  }
}

/** Fails early, because a package would look for a file beside its code in the folder of the bundle, and only at run time. */
function requireFiles(file, inputs) {
  for (const [, path] of readFileSync(file, 'utf8').matchAll(/new URL\("([^"]+)", ?import\.meta\.url\)/g)) {
    if (existsSync(join(dirname(file), path))) continue;
    const packages = [
      ...new Set(inputs.flatMap((input) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? [])),
    ];
    throw new Error(`The bundle lacks ${path}: add its package to NOT_BUNDLED (one of ${packages.join(', ')}).`);
  }
}

/** Fails early, because `import()` of a CommonJS package has no named exports in a bundle. Plugins of Fastify are their default export. */
function requireNamedExports(inputs) {
  for (const { path, kind } of Object.values(inputs).flatMap(({ imports }) => imports))
    if (kind === 'dynamic-import' && inputs[path]?.format === 'cjs' && !path.includes('/@fastify/'))
      throw new Error(`${path} has no named exports in the bundle: add its package to namedExports.`);
}

/** Name, version and license text of every bundled package. */
function licenses(files) {
  const folders = files.flatMap((file) => /^(.*node_modules\/(@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []);
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
    const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim();
    return `${name} ${version} (${license})\n\n${text}`.trim();
  });
  return `${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}
