import type { Document } from 'mongodb';
import type { Schema } from 'mongoose';

interface CounterSchema {
  bsonType?: 'number';
  minimum?: number;
  properties?: Record<string, CounterSchema>;
}

const OPTION = 'collectionValidator';

/** Declares a validator that MongoDB enforces on the collection. `ensureIndexes` applies it. */
export function declareValidator(schema: Schema, validator: Document): void {
  (schema as unknown as { set(option: string, value: Document): void }).set(OPTION, validator);
}

export function readValidator(schema: Schema): Document | undefined {
  return (schema as unknown as { get(option: string): Document | undefined }).get(OPTION);
}

/**
 * Returns a validator that requires exactly the fields of the schema, with their types.
 * @param rules override the types
 * @param optional fields that a row may lack
 */
export function exactShape(
  schema: Schema,
  rules: Record<string, Document> = {},
  optional: readonly string[] = [],
): Document {
  const types = schema.toJSONSchema({ useBsonType: true })['properties'] as Record<string, unknown>;
  const properties = { ...types, ...rules };
  const required = Object.keys(properties).filter((field) => !optional.includes(field));
  return { $jsonSchema: { bsonType: 'object', additionalProperties: false, required, properties } };
}

/** Returns a validator that requires these counters (dotted paths), if present, to be numbers >= 0. */
export function neverNegative(...paths: string[]): Document {
  const schema: CounterSchema = {};
  for (const path of paths) {
    let level = schema;
    for (const field of path.split('.')) {
      level.properties ??= {};
      level = level.properties[field] ??= {};
    }
    level.bsonType = 'number';
    level.minimum = 0;
  }
  return { $jsonSchema: schema };
}
