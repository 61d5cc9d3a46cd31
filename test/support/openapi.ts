import type { OpenAPIObject } from '@nestjs/swagger';

export type Schema = Record<string, any>;

export type Parameter = { name: string; in: 'path' | 'query' | 'header'; required: boolean; schema: Schema };

export type Operation = {
  /** operation id */
  id: string;
  /** like `GET /v1/posts/{idOrSlug}` */
  name: string;
  method: string;
  path: string;
  summary: string;
  tags: string[];
  access: 'public' | 'optional' | 'required';
  parameters: Parameter[];
  /** of the JSON body */
  body: Schema | undefined;
  responses: Record<string, { content?: Record<string, { schema?: Schema; examples?: object }>; headers?: object }>;
};

/** The document as a list of what can be called. */
export function operationsOf(document: OpenAPIObject): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    (['get', 'post', 'put', 'patch', 'delete'] as const).flatMap((verb): Operation[] => {
      const operation = item[verb] as Record<string, any> | undefined;
      if (operation === undefined) return [];
      const method = verb.toUpperCase();
      return [
        {
          id: operation.operationId,
          name: `${method} ${path}`,
          method,
          path,
          summary: operation.summary,
          tags: operation.tags ?? [],
          access: accessOf(operation.security ?? document.security ?? []),
          parameters: operation.parameters ?? [],
          body: resolve(document, operation.requestBody?.content?.['application/json']?.schema),
          responses: operation.responses,
        },
      ];
    }),
  );
}

/** The schema with its first reference followed. */
export function resolve(document: OpenAPIObject, schema: Schema | undefined): Schema | undefined {
  const target = schema?.$ref ?? (schema?.allOf?.length === 1 ? schema.allOf[0].$ref : undefined);
  if (target === undefined) return schema;
  return (document.components!.schemas as Record<string, Schema>)[target.replace('#/components/schemas/', '')];
}

function accessOf(security: object[]): Operation['access'] {
  const withToken = security.some((requirement) => 'bearer' in requirement);
  if (!withToken) return 'public';
  return security.every((requirement) => 'bearer' in requirement) ? 'required' : 'optional';
}
