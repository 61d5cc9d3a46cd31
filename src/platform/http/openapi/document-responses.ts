import type { OpenAPIObject } from '@nestjs/swagger';

type Response = { description: string; content?: Record<string, { schema?: { $ref?: string } }> };
type Use = { responses: Record<string, object>; status: string };

/** Moves responses that several routes share to the components, so that generated clients have one type for each. */
export function shareResponses(document: OpenAPIObject): OpenAPIObject {
  const uses = new Map<string, Use[]>();
  for (const item of Object.values(document.paths)) {
    for (const operation of [item.get, item.post, item.put, item.patch, item.delete]) {
      const responses = (operation?.responses ?? {}) as Record<string, object>;
      for (const [status, response] of Object.entries(responses)) {
        if ('$ref' in response) continue;
        const text = JSON.stringify(response);
        uses.set(text, [...(uses.get(text) ?? []), { responses, status }]);
      }
    }
  }
  const shared = document.components!.responses as Record<string, object>;
  for (const [text, places] of uses) {
    const response = JSON.parse(text) as Response;
    const name = nameOf(response);
    if (places.length === 1 || name === undefined) continue;
    if (name in shared) throw new Error(`two responses have one name: ${name}`);
    shared[name] = response;
    for (const { responses, status } of places) responses[status] = { $ref: `#/components/responses/${name}` };
  }
  return document;
}

/** The name of its schema, or its description if it has no body; undefined if its schema has no name. */
function nameOf({ description, content }: Response): string | undefined {
  if (content === undefined)
    return description
      .split(/\W/)
      .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
      .join('');
  const refs = Object.values(content).flatMap(({ schema }) => schema?.$ref ?? []);
  return refs.at(-1)?.split('/').at(-1);
}
