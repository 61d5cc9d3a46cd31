import type { OpenAPIObject } from '@nestjs/swagger';

type Parameter = { in: string; schema?: { example?: string; type?: string; pattern?: string } };

const PLACES = ['path', 'query', 'header'];

/**
 * What Swagger reads from the handlers' signatures and cannot know: path ids are ObjectId there, in an address they are 24 hex
 * digits (after a slug where the example has one). The order of parameters must not depend on the compiler that emitted the metadata.
 */
export function describeParameters(document: OpenAPIObject): OpenAPIObject {
  for (const item of Object.values(document.paths)) {
    for (const operation of [item.get, item.post, item.put, item.patch, item.delete]) {
      const parameters = (operation?.parameters ?? []) as Parameter[];
      for (const parameter of parameters) if (parameter.in === 'path') describePathId(parameter);
      parameters.sort((a, b) => PLACES.indexOf(a.in) - PLACES.indexOf(b.in));
    }
  }
  for (const name of ['ObjectId', 'Function']) delete document.components?.schemas?.[name];
  return document;
}

function describePathId(parameter: Parameter): void {
  const { type, example } = parameter.schema ?? {};
  if (type !== undefined && type !== 'object') return;
  const pattern = example?.includes('-') ? '^(.*-)?[0-9a-f]{24}$' : '^[0-9a-f]{24}$';
  parameter.schema = { type: 'string', pattern, example };
}
