import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';

const JEST_OBJECT = new URL('./jest-object.mjs', import.meta.url).href;
const OPTIONS = {
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
  },
  module: { type: 'es6' },
  sourceMaps: 'inline',
};

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
  const filename = fileURLToPath(url);
  const { code } = transformSync(readFileSync(filename, 'utf8'), { ...OPTIONS, filename });
  return { format: 'module', source: code, shortCircuit: true };
}
