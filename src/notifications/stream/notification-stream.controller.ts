import { Controller, Get, Post, Query, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Access, CurrentViewer } from '../../platform/access/access.decorator.js';
import { ForRestricted } from '../../platform/access/verified-email.js';
import { TokenScope } from '../../platform/access/token-scope.js';
import type { Viewer } from '../../platform/access/viewer.js';
import { ApiProblems } from '../../platform/http/openapi/api-problem.decorator.js';
import { ExampleNeeds } from '../../platform/http/openapi/example-needs.decorator.js';
import {
  ApiEvents,
  EventSourceQuery,
  LAST_EVENT_ID,
  LastEventId,
  StreamTicketDto,
} from '../dto/notification-stream.dto.js';
import { NotificationStreamsService } from './notification-streams.service.js';
import { StreamTicketsService } from './stream-tickets.service.js';

@ApiTags('notifications')
@Controller('notifications')
@TokenScope('notifications')
export class NotificationStreamController {
  constructor(
    private readonly streams: NotificationStreamsService,
    private readonly tickets: StreamTicketsService,
  ) {}

  @Get('stream')
  @ApiOperation({
    summary: 'Get a stream of my notifications',
    description:
      'Server-sent events: `notification` (put it in place of one with the same id), `unread` (the count, at first and when it changes) and `reset` (read the list again). ' +
      'An event may come twice after `Last-Event-ID`. A stream ends after 15 minutes, or earlier; connect again.',
  })
  @ApiHeader(LAST_EVENT_ID)
  @ApiEvents()
  streamNotifications(
    @CurrentViewer() viewer: Viewer,
    @LastEventId() lastEventId: string | undefined,
    @Res() reply: FastifyReply,
  ): void {
    this.streams.open(reply, viewer, lastEventId);
  }

  @ForRestricted('self')
  @Post('stream-ticket')
  @ApiOperation({
    summary: 'Create a ticket for an EventSource',
    description: 'It opens one stream within 60 seconds: `GET /v1/notifications/event-source`.',
  })
  @ApiCreatedResponse({ type: StreamTicketDto })
  createStreamTicket(@CurrentViewer() viewer: Viewer): Promise<StreamTicketDto> {
    return this.tickets.issue(viewer);
  }

  @Get('event-source')
  @Access('public')
  @ExampleNeeds('a ticket, which is valid once')
  @ApiOperation({
    summary: 'Get a stream of notifications by a ticket',
    description:
      'Like `GET /v1/notifications/stream`, for `EventSource` in browsers. Every connection needs a new ticket.',
  })
  @ApiEvents()
  @ApiProblems('invalid_stream_ticket')
  async openEventSource(@Query() { ticket, lastEventId }: EventSourceQuery, @Res() reply: FastifyReply): Promise<void> {
    this.streams.open(reply, await this.tickets.use(ticket), lastEventId);
  }
}
