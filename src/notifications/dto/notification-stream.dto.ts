import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { CodedError } from '../../common/errors.js';
import { EXAMPLE } from '../../common/examples.js';
import { RESPONSE_SCHEMAS } from '../../platform/http/openapi/response-schemas.js';
import { IsOptionalNotNull, IsText } from '../../platform/http/validation/text-rules.js';

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

  @ApiPropertyOptional({ description: 'the `lastEventId` of an earlier stream', example: EXAMPLE.postId })
  @IsOptionalNotNull()
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

/** For `@ApiOkResponse`. */
export const EVENTS = {
  description: 'server-sent events',
  content: {
    'text/event-stream': {
      schema: { type: 'string', maxLength: 10_000_000 },
      example: `:\n\nevent: unread\nid: ${EXAMPLE.postId}\ndata: {"count":1,"isCapped":false}\n\n`,
    },
  },
} as const;
