import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Answer } from './client.js';
import type { Operation, Schema } from './openapi.js';

/**
 * Compares responses with the OpenAPI document. The operation declares the status and the content type, and the body matches the schema
 * without additional properties.
 */
export class AnswerCheck {
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true });
  private readonly components: object;
  /** Headers of the document. */
  private readonly headers: Record<string, { schema: Schema }>;
  /** Validators by schema. Most responses of the operations are problems, which share one schema. */
  private readonly validators = new Map<string, ValidateFunction>();

  constructor(document: OpenAPIObject) {
    (formats as unknown as (ajv: Ajv2020) => void)(this.ajv);
    const schemas = structuredClone(document.components!.schemas) as Record<string, Schema>;
    for (const schema of Object.values(schemas)) close(schema);
    this.components = { schemas };
    this.headers = document.components!.headers as typeof this.headers;
  }

  /** Lists the differences from the document. */
  faults(operation: Operation, { status, headers, body }: Pick<Answer, 'status' | 'headers' | 'body'>): string[] {
    // Any read may return 304; only the description of the document mentions this status.
    if (status === 304 && operation.method === 'GET') return body === '' ? [] : ['304 has a body'];
    const declared = operation.responses[String(status)];
    if (declared === undefined) return [`${status} is not declared: ${JSON.stringify(body)}`];
    const wrong = this.headerFaults(headers);
    if (wrong.length > 0) return wrong.map((fault) => `${status} ${fault}`);
    const given = (headers.get('content-type') ?? '').split(';')[0]!;
    const types = Object.keys(declared.content ?? {});
    if (types.length === 0) return body === '' ? [] : [`${status} has a body`];
    if (!types.includes(given)) return [`${status} came as ${given}, not ${types.join()}`];
    if (!given.endsWith('json')) return [];
    return this.bodyFaults(declared.content![given]!.schema!, body).map((fault) => `${status} ${fault}`);
  }

  /** As `faults`, for an event of a stream. The schema of a stream is that of one event; its `data` is JSON of another schema. */
  eventFaults({ responses }: Operation, event: { event: string; id: string; data: string }): string[] {
    const schema = responses['200']!.content!['text/event-stream']!.schema!;
    const faults = this.bodyFaults(schema, event);
    const schemas = (this.components as { schemas: Record<string, Schema> }).schemas;
    const variants = (schema['oneOf'] as Schema[]).map(({ $ref }) => schemas[$ref.split('/').at(-1)]!);
    const own = variants.find(({ properties }) => properties.event.enum.includes(event.event));
    const data = own?.properties.data.contentSchema;
    return data === undefined ? faults : [...faults, ...this.bodyFaults(data, JSON.parse(event.data))];
  }

  private bodyFaults(schema: Schema, body: unknown): string[] {
    const key = JSON.stringify(schema);
    let validate = this.validators.get(key);
    if (validate === undefined) {
      validate = this.ajv.compile({ ...schema, components: this.components });
      this.validators.set(key, validate);
    }
    if (validate(body)) return [];
    return (validate.errors ?? []).map(({ instancePath, message, params }) => {
      return `${instancePath} ${message} ${JSON.stringify(params)}`;
    });
  }

  /** Lists documented headers that do not match their schema. */
  private headerFaults(headers: Headers): string[] {
    return Object.entries(this.headers).flatMap(([name, { schema }]) => {
      const value = headers.get(name);
      if (value === null) return [];
      const typed = schema.type === 'integer' ? Number(value) : value;
      return this.ajv.validate(schema, typed) ? [] : [`has the header ${name}: ${value}`];
    });
  }
}

/** Forbids properties that the document does not name. */
function close(schema: Schema): void {
  if (schema.properties === undefined) return;
  schema.additionalProperties ??= false;
  for (const property of Object.values(schema.properties as Record<string, Schema>)) close(property);
}
