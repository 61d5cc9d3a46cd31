import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiProperty, type ApiPropertyOptions, getSchemaPath } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { CodedError } from '../../common/errors.js';
import { EXAMPLE } from '../../common/examples.js';
import { RESPONSE_SCHEMAS } from '../../platform/http/openapi/response-schemas.js';
import { IsText, OptionalField } from '../../platform/http/validation/text-rules.js';
import { UnreadDto } from '../unread.dto.js';
import { NotificationDto } from './notification.dto.js';

const TICKET = { min: 43, max: 43, pattern: /^[A-Za-z0-9_-]{43}$/, message: 'must be 43 characters of a ticket' };
const EVENT_ID = { min: 24, max: 24, pattern: /^[0-9a-f]{24}$/, message: 'must be the id of an event' };

export class StreamTicketDto {
  @ApiProperty({ minLength: 43, maxLength: 43, pattern: TICKET.pattern.source, example: EXAMPLE.draftKey })
  ticket!: string;

  @ApiProperty({ type: 'integer', format: 'int32', minimum: 1, maximum: 60, description: 'seconds', example: 60 })
  expiresIn!: number;
}

export class EventSourceQuery {
  @ApiProperty({ description: 'of `POST /v1/notifications/stream-ticket`', example: EXAMPLE.draftKey })
  @IsText(TICKET)
  ticket!: string;

  @OptionalField({ description: 'the `lastEventId` of an earlier stream', example: EXAMPLE.postId })
  @IsText(EVENT_ID)
  lastEventId?: string;
}

/** For `@ApiHeader`. */
export const LAST_EVENT_ID = {
  name: 'Last-Event-ID',
  required: false,
  description: 'the id of the last event of an earlier stream: this one continues after it',
  schema: { ...RESPONSE_SCHEMAS.id, example: EXAMPLE.postId },
} as const;

export const LastEventId = createParamDecorator((_: unknown, context: ExecutionContext): string | undefined => {
  const given = context.switchToHttp().getRequest<FastifyRequest>().headers['last-event-id'];
  if (given === undefined) return undefined;
  if (typeof given === 'string' && EVENT_ID.pattern.test(given)) return given;
  const { message } = EVENT_ID;
  throw new CodedError('invalid_input', `Last-Event-ID ${message}.`, { fields: [{ field: 'Last-Event-ID', message }] });
});

const ID = {
  ...RESPONSE_SCHEMAS.id,
  description: 'the position after it, for `Last-Event-ID`',
  example: EXAMPLE.postId,
};
const nameOf = (event: string) => ({ type: String, enum: [event], example: event });

/** The `data` of an event: JSON of a schema. The server disconnects a client that leaves more unread. */
function json(contentSchema: object, example: object): ApiPropertyOptions {
  const schema = { maxLength: 65_536, contentMediaType: 'application/json', contentSchema };
  return { type: String, ...schema, example: JSON.stringify(example) };
}

@ApiExtraModels(NotificationDto)
export class NotificationEventDto {
  @ApiProperty(nameOf('notification'))
  event!: string;

  @ApiProperty(ID)
  id!: string;

  @ApiProperty(json({ $ref: getSchemaPath(NotificationDto) }, { kind: 'follow' }))
  data!: string;
}

@ApiExtraModels(UnreadDto)
export class UnreadEventDto {
  @ApiProperty(nameOf('unread'))
  event!: string;

  @ApiProperty(ID)
  id!: string;

  @ApiProperty(json({ $ref: getSchemaPath(UnreadDto) }, { count: 1, isCapped: false }))
  data!: string;
}

export class ResetEventDto {
  @ApiProperty(nameOf('reset'))
  event!: string;

  @ApiProperty(ID)
  id!: string;

  @ApiProperty(json({ type: 'object', maxProperties: 0 }, {}))
  data!: string;
}

const EVENT_MODELS = [NotificationEventDto, UnreadEventDto, ResetEventDto];

/** Documents the events of a stream: its schema is that of one event, as clients parse the stream. */
export function ApiEvents(): MethodDecorator {
  const example = { event: 'unread', id: EXAMPLE.postId, data: '{"count":1,"isCapped":false}' };
  const schema = { oneOf: EVENT_MODELS.map((model) => ({ $ref: getSchemaPath(model) })) };
  const content = { 'text/event-stream': { schema, example } };
  return applyDecorators(
    ApiExtraModels(...EVENT_MODELS),
    ApiOkResponse({ description: 'server-sent events', content }),
  );
}
