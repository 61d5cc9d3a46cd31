import type { OpenAPIObject } from '@nestjs/swagger';
import { getMetadataStorage } from 'class-validator';

type Schema = Record<string, unknown>;

type Validation = {
  type: string;
  name?: string;
  propertyName: string;
  constraints?: unknown[];
  each: boolean;
};

/** The metadata key of @ApiProperty, which @nestjs/swagger does not export. */
const PROPERTIES = 'swagger/apiModelProperties';

/** Converts a validator to JSON Schema. Our own validators pass the schema as their first constraint. */
const RULES: Record<string, (constraint: unknown) => Schema> = {
  isBoolean: () => ({ type: 'boolean' }),
  isInt: () => ({ type: 'integer', format: 'int32' }),
  isArray: () => ({}),
  isObject: () => ({}),
  min: (minimum) => ({ minimum }),
  max: (maximum) => ({ maximum }),
  isIn: (values) => ({ enum: values }),
  maxLength: (maxLength) => ({ maxLength }),
  arrayMinSize: (minItems) => ({ minItems }),
  arrayMaxSize: (maxItems) => ({ maxItems }),
  arrayUnique: () => ({ uniqueItems: true }),
};

/** Adds the rules of validators to Swagger's metadata, so that both match. Call this function before creating the document. */
export function describeRules(): void {
  const storage = getMetadataStorage() as unknown as { validationMetadatas: Map<{ prototype: object }, Validation[]> };
  for (const [{ prototype }, validations] of storage.validationMetadatas) {
    for (const name of new Set(validations.map(({ propertyName }) => propertyName))) {
      const described = Reflect.getMetadata(PROPERTIES, prototype, name) as Schema | undefined;
      if (described === undefined) continue;
      const own = validations.filter(({ propertyName }) => propertyName === name);
      Reflect.defineMetadata(PROPERTIES, { ...described, ...propertyOf(own, described) }, prototype, name);
    }
  }
}

/**
 * Forbids unknown fields of bodies, as the validation does. Moves each `default` to the description (for edits: removes it), because
 * generated clients would require or send the default, and an edit would publish a hidden post.
 */
export function forbidAdditionalProperties(document: OpenAPIObject): OpenAPIObject {
  const schemas = document.components!.schemas as Record<string, Schema>;
  const close = (value: unknown, isEdit: boolean): void => {
    if (typeof value !== 'object' || value === null) return;
    describeDefault(value as Schema, isEdit);
    if ('$ref' in value) {
      const schema = schemas[String(value.$ref).replace('#/components/schemas/', '')]!;
      if ('additionalProperties' in schema) return;
      schema['additionalProperties'] = false;
      return close(schema, isEdit);
    }
    for (const part of Object.values(value)) close(part, isEdit);
  };
  for (const item of Object.values(document.paths)) {
    close(item.patch?.requestBody, true);
    for (const operation of [item.post, item.put, item.delete]) close(operation?.requestBody, false);
  }
  return document;
}

function describeDefault(schema: Schema, isEdit: boolean): void {
  if (!('default' in schema)) return;
  const text = schema['default'] === '' ? 'default: empty' : `default: \`${String(schema['default'])}\``;
  if (!isEdit) schema['description'] = 'description' in schema ? `${String(schema['description'])} (${text})` : text;
  delete schema['default'];
}

function propertyOf(validations: Validation[], described: Schema): Schema {
  const schema = merged(validations.filter(({ each }) => !each));
  const items = merged(validations.filter(({ each }) => each));
  const isOptional = validations.some(({ type }) => type === 'conditionalValidation');
  const isList = Object.keys(items).length > 0;
  return {
    ...schema,
    ...(isList ? { type: 'array', items: { ...(described['items'] as object | undefined), ...items } } : {}),
    ...(isList ? { isArray: false } : {}),
    required: !isOptional,
  };
}

function merged(validations: Validation[]): Schema {
  const schema: Schema = {};
  for (const { type, name, constraints = [], propertyName } of validations) {
    if (type !== 'customValidation') continue;
    const rule = RULES[name!];
    const part = rule === undefined ? (constraints[0] as Schema | undefined) : rule(constraints[0]);
    if (typeof part !== 'object') throw new Error(`${propertyName}: the document does not know what ${name} demands`);
    for (const [key, value] of Object.entries(part)) {
      if (key in schema && schema[key] !== value) throw new Error(`${propertyName}: two rules for its ${key}`);
      schema[key] = value;
    }
  }
  return schema;
}
