import type { OpenAPIObject } from '@nestjs/swagger';
import { nameOfValues } from '../../../common/named-values.js';

type Schema = Record<string, unknown>;

/**
 * Names schemas consistently: request schemas end in `Input`, response schemas are nouns. Named values become a schema of their own.
 */
export function nameSchemas(document: OpenAPIObject): OpenAPIObject {
  const schemas = document.components!.schemas as Record<string, Schema>;
  const inputs = new Set<string>();
  for (const item of Object.values(document.paths))
    for (const { requestBody } of [item.post, item.put, item.patch, item.delete].filter((one) => one !== undefined))
      collectRefs(requestBody, schemas, inputs);
  const names = new Map<string, string>();
  for (const name of Object.keys(schemas)) {
    const noun = name.replace(/(?:Dto|Body|Input)$/, '');
    names.set(name, inputs.has(name) ? `${noun}Input` : noun);
  }
  if (new Set(names.values()).size !== names.size)
    throw new Error(`two schemas have one name: ${[...names.values()].sort().join(', ')}`);
  const shared: Record<string, Schema> = {};
  const paths = renamed(document.paths, names, shared) as OpenAPIObject['paths'];
  const renamedSchemas = Object.entries(schemas).map(([name, schema]) => [
    names.get(name)!,
    renamed(schema, names, shared),
  ]);
  const renamedAll = Object.fromEntries(renamedSchemas) as Record<string, Schema>;
  const components = { ...document.components, schemas: { ...renamedAll, ...shared } };
  return { ...document, paths, components };
}

const PREFIX = '#/components/schemas/';

/** Collects the names of all schemas that a part of the document references. */
function collectRefs(value: unknown, schemas: Record<string, Schema>, found: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  const ref = (value as Schema)['$ref'];
  if (typeof ref === 'string' && ref.startsWith(PREFIX)) {
    const name = ref.slice(PREFIX.length);
    if (found.has(name)) return;
    found.add(name);
    collectRefs(schemas[name], schemas, found);
  }
  for (const part of Object.values(value)) collectRefs(part, schemas, found);
}

/** Returns a copy with renamed schemas, in which shared enums are references. */
function renamed(value: unknown, names: ReadonlyMap<string, string>, shared: Record<string, Schema>): unknown {
  if (Array.isArray(value)) return value.map((part) => renamed(part, names, shared));
  if (typeof value !== 'object' || value === null) return value;
  const copy: Schema = Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      key,
      key === '$ref' && typeof part === 'string' && part.startsWith(PREFIX)
        ? PREFIX + (names.get(part.slice(PREFIX.length)) ?? part.slice(PREFIX.length))
        : renamed(part, names, shared),
    ]),
  );
  const name = Array.isArray(copy['enum']) ? nameOfValues(copy['enum'] as (string | null)[]) : undefined;
  if (name === undefined) return copy;
  const { type, enum: values, ...own } = copy;
  // Omits the example, because Swagger UI would send it as a filter of lists.
  shared[name] = { type, enum: values };
  return { $ref: PREFIX + name, ...own };
}
