// sdk/src/schema.ts: the types of docs/openapi.json. `--check` (of `npm run check`) writes nothing and fails where they differ.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { ROOT } from './lib/prepare.mjs';

const FILE = join(ROOT, 'sdk/src/schema.ts');
const HEADER = '// Written by `npm run sdk:types` from docs/openapi.json.\n';
const METHODS = ['get', 'put', 'post', 'patch', 'delete'];

const document = JSON.parse(readFileSync(join(ROOT, 'docs/openapi.json'), 'utf8'));
for (const operation of Object.values(document.paths).flatMap((path) => METHODS.flatMap((name) => path[name] ?? []))) {
  const schema = { type: 'string', format: 'problem', 'x-codes': operation['x-error-codes'] ?? [] };
  operation.responses.default = { description: 'A problem', content: { 'application/problem+json': { schema } } };
}
const nodes = await openapiTS(document, {
  inject: "import type { Problem } from './problem.js';\n",
  transform: typeOf,
});
const types = HEADER + astToString(nodes);

if (!process.argv.includes('--check')) writeFileSync(FILE, types);
else if (readFileSync(FILE, 'utf8') !== types) {
  console.error('sdk/src/schema.ts is not what docs/openapi.json says: npm run sdk:types');
  process.exitCode = 1;
}

/** Returns types that openapi-typescript lacks: the problems of an operation by their codes, and files. */
function typeOf(schema) {
  const { factory } = ts;
  if (schema.format === 'binary') return factory.createTypeReferenceNode('Blob');
  if (schema.format !== 'problem') return undefined;
  const codes = schema['x-codes'].map((code) => factory.createLiteralTypeNode(factory.createStringLiteral(code)));
  return factory.createTypeReferenceNode('Problem', [factory.createUnionTypeNode(codes)]);
}
