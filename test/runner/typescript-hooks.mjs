import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transpile } from '../../scripts/lib/transpile.mjs';

const SRC = new URL('../../src/', import.meta.url).href;
const BUNDLE = new URL('../../dist/bundle/', import.meta.url).href;
/** The form in which sources reference the program of a thread or a child process. */
const PROGRAM = /new URL\((["'])\.\/([\w-]+\.(?:thread|task|child)\.js)\1, import\.meta\.url\)/g;
const JEST_OBJECT = new URL('./jest-object.mjs', import.meta.url).href;

/** Resolves an import of .js to the .ts file. */
export function resolve(specifier, context, next) {
  if (specifier === '@jest/globals') return { url: JEST_OBJECT, format: 'module', shortCircuit: true };
  const isPath = /^(\.|\/|file:)/.test(specifier) && specifier.endsWith('.js');
  if (!isPath) return next(specifier, context);
  const url = new URL(specifier, context.parentURL);
  const source = new URL(url.href.replace(/\.js$/, '.ts'));
  return existsSync(source) ? { url: source.href, format: 'module', shortCircuit: true } : next(specifier, context);
}

export function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const { code } = transpile(fileURLToPath(url), { sourceMaps: 'inline' });
  if (!url.startsWith(SRC)) return { format: 'module', source: code, shortCircuit: true };
  // Dozens of programs start in a run, and each would transpile its imports.
  const source = code.replace(PROGRAM, (_, quote, program) => `new URL('${program}', '${BUNDLE}')`);
  return { format: 'module', source, shortCircuit: true };
}
