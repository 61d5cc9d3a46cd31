import type { OpenAPIObject } from '@nestjs/swagger';
import { ANSWER } from './answer-schemas.js';

type Parameter = {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  style?: string;
  explode?: boolean;
  schema?: {
    example?: string | number;
    type?: string;
    pattern?: string;
    minLength?: number;
    maxLength?: number;
    allOf?: object;
  };
};

const PLACES = ['path', 'query', 'header'];

/**
 * What Swagger reads from the handlers' signatures and cannot know: path ids are ObjectId there, in an address they are 24 hex
 * digits, unless the route says another pattern. Lists are written `a,b`. Headers the handlers read for their own purposes (in lower case) are nobody's
 * parameters; those a client may send are described with @ApiHeader. Swagger UI sends every example it is given: one of an optional
 * parameter would filter a list, or make two posts one, behind the reader's back, so it goes into the description. The order of
 * parameters must not depend on the compiler that emitted the metadata.
 */
export function describeParameters(document: OpenAPIObject): OpenAPIObject {
  for (const item of Object.values(document.paths)) {
    for (const operation of [item.get, item.post, item.put, item.patch, item.delete]) {
      if (operation?.parameters === undefined) continue;
      const parameters = (operation.parameters as Parameter[]).filter((parameter) => !isPrivateHeader(parameter));
      operation.parameters = parameters as typeof operation.parameters;
      for (const parameter of parameters) {
        if (parameter.in === 'path') describePathId(parameter);
        else if (parameter.schema?.type === 'array') Object.assign(parameter, { style: 'form', explode: false });
        else if (parameter.required !== true) describeOption(parameter);
      }
      parameters.sort((a, b) => PLACES.indexOf(a.in) - PLACES.indexOf(b.in));
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
  parameter.schema = 'pattern' in schema ? { type: 'string', ...schema } : { ...ANSWER.id, ...schema };
}

function describeOption(parameter: Parameter): void {
  const { example, ...schema } = parameter.schema ?? {};
  if (example === undefined) return;
  const like = `like \`${example}\``;
  parameter.description = parameter.description === undefined ? like : `${parameter.description} (${like})`;
  parameter.schema = schema;
}
