import type { OpenAPIObject } from '@nestjs/swagger';
import { RESPONSE_SCHEMAS } from './response-schemas.js';

type Schema = {
  example?: string | number | readonly string[];
  enum?: string[];
  default?: string | number | boolean;
  type?: string;
  $ref?: string;
  allOf?: object;
};
export type Parameter = { name: string; in: string; required?: boolean; description?: string; schema?: Schema };

/** sort order of the parameters after the path parameters */
const LOCATIONS = ['query', 'header'];

/**
 * Adds the format of ids (24 hex digits) and lists (`a,b`), and removes lower-case headers, which are not parameters.
 * Moves examples of optional parameters to the description, because Swagger UI sends every example, which would filter a list.
 */
export function describeParameters(document: OpenAPIObject): OpenAPIObject {
  for (const [path, item] of Object.entries(document.paths)) {
    const positionOf = ({ in: location, name }: Parameter): number =>
      location === 'path' ? path.indexOf(`{${name}}`) : path.length + LOCATIONS.indexOf(location);
    for (const operation of [item.get, item.post, item.put, item.patch, item.delete]) {
      if (operation?.parameters === undefined) continue;
      const parameters = (operation.parameters as Parameter[]).filter((parameter) => !isPrivateHeader(parameter));
      operation.parameters = parameters as typeof operation.parameters;
      for (const parameter of parameters) {
        if (parameter.in === 'path') describePathId(parameter);
        else if (parameter.schema?.type === 'array') Object.assign(parameter, { style: 'form', explode: false });
        else if (parameter.required !== true) describeOption(parameter);
      }
      parameters.sort((a, b) => positionOf(a) - positionOf(b));
    }
  }
  for (const name of ['ObjectId', 'Function']) delete document.components?.schemas?.[name];
  return document;
}

function isPrivateHeader(parameter: Parameter): boolean {
  return parameter.in === 'header' && parameter.name === parameter.name.toLowerCase();
}

function describePathId(parameter: Parameter): void {
  const { type, allOf: _class, ...schema } = parameter.schema ?? {};
  if (type !== undefined && type !== 'object') return;
  parameter.schema = 'pattern' in schema ? { type: 'string', ...schema } : { ...RESPONSE_SCHEMAS.id, ...schema };
}

function describeOption(parameter: Parameter): void {
  const { example, ...schema } = parameter.schema ?? {};
  if (example === undefined) return;
  const text = `for example \`${String(example)}\``;
  parameter.description = parameter.description === undefined ? text : `${parameter.description} (${text})`;
  parameter.schema = schema;
}

/** Returns the example of a parameter, also one in the description, or else its first value. Joins a list with commas. */
export function exampleOf({ description = '', schema }: Parameter): string | undefined {
  const described = /for example `([^`]+)`\)?$/.exec(description)?.[1];
  const example = schema?.example ?? described ?? schema?.enum?.[0];
  return example === undefined ? undefined : String(example);
}
