import type { OpenAPIObject } from '@nestjs/swagger';

type Parameter = { name: string; in: string; schema?: { example?: string; type?: string; pattern?: string } };

const PLACES = ['path', 'query', 'header'];

/**
 * What Swagger reads from the handlers' signatures and cannot know: path ids are ObjectId there, in an address they are 24 hex
 * digits (after a slug where the example has one). Headers the handlers read for their own purposes (in lower case) are nobody's
 * parameters; those a client may send are described with @ApiHeader. The order of parameters must not depend on the compiler that emitted the metadata.
 */
export function describeParameters(document: OpenAPIObject): OpenAPIObject {
  for (const item of Object.values(document.paths)) {
    for (const operation of [item.get, item.post, item.put, item.patch, item.delete]) {
      if (operation?.parameters === undefined) continue;
      const parameters = (operation.parameters as Parameter[]).filter((parameter) => !isPrivateHeader(parameter));
      operation.parameters = parameters as typeof operation.parameters;
      for (const parameter of parameters) if (parameter.in === 'path') describePathId(parameter);
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
  const { type, example } = parameter.schema ?? {};
  if (type !== undefined && type !== 'object') return;
  const pattern = example?.includes('-') ? '^(.*-)?[0-9a-f]{24}$' : '^[0-9a-f]{24}$';
  parameter.schema = { type: 'string', pattern, example };
}
