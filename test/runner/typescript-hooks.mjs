import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transpile } from '../../scripts/lib/transpile.mjs';

const JEST_OBJECT = new URL('./jest-object.mjs', import.meta.url).href;

/** A file that is imported as .js is found as .ts. */
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
  return { format: 'module', source: code, shortCircuit: true };
}
