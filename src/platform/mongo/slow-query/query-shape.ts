import type { Document } from 'mongodb';

/** The fields that define the shape of a command. The driver adds others, such as the session and the cluster time. */
const SHAPED_FIELDS = [
  'filter',
  'query',
  'pipeline',
  'sort',
  'hint',
  'updates',
  'deletes',
  'update',
  'key',
  'limit',
  'skip',
] as const;
/** Fields whose values are part of the shape. */
const KEPT_FIELDS = new Set(['sort', 'hint', '$sort', '$project', 'key', 'limit', 'skip', '$limit', '$skip']);
const MAX_LENGTH = 1_000;

/** Returns the namespace and the structure of a command without values, for the log: `find posts {"filter":{"authorId":"?"}}`. */
export function queryShape(command: Document): string {
  const [name] = Object.keys(command);
  if (name === undefined) return '?';
  const shape: Document = {};
  for (const field of SHAPED_FIELDS) {
    if (field === name || command[field] === undefined) continue;
    shape[field] = stripValues(command[field], KEPT_FIELDS.has(field));
  }
  const target: unknown = name === 'getMore' ? command.collection : command[name];
  const text = `${name} ${typeof target === 'string' ? target : ''} ${JSON.stringify(shape)}`;
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}

function stripValues(value: unknown, isStructure: boolean): unknown {
  // The driver converts a sort to a Map.
  if (value instanceof Map) return stripValues(Object.fromEntries(value), isStructure);
  if (Array.isArray(value)) {
    // Includes all stages of a pipeline. Reduces any other list to its first element, so that its length does not change the shape.
    const isPipeline = value.every((stage) => isPlainObject(stage) && Object.keys(stage)[0]?.startsWith('$'));
    return (isPipeline ? value : value.slice(0, 1)).map((element) => stripValues(element, isStructure));
  }
  if (isPlainObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, stripValues(inner, isStructure || KEPT_FIELDS.has(key))]),
    );
  }
  return isStructure && (typeof value === 'number' || typeof value === 'boolean') ? value : '?';
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    (Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null)
  );
}
