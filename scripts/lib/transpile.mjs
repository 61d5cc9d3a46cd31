import { readFileSync } from 'node:fs';
import { transformSync } from '@swc/core';

const OPTIONS = {
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
  },
  module: { type: 'es6' },
};

/** Transpiles one file of TypeScript for the build and for specs. `npm run check` checks types. */
export function transpile(filename, options) {
  return transformSync(readFileSync(filename, 'utf8'), { ...OPTIONS, filename, ...options });
}
