import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { ObjectId } from 'mongodb';
import { Access } from '../platform/access/access.decorator.js';
import { TokenScope } from '../platform/access/token-scope.js';
import { ClientAddress } from '../platform/http/client-address.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { IsText, OptionalField } from '../platform/http/validation/text-rules.js';
import { Idempotent } from '../platform/idempotency/idempotency.decorator.js';
import { WriteRequest } from '../platform/idempotency/write-request.js';
import type { Viewer } from '../platform/access/viewer.js';
import { RateLimit } from '../platform/rate-limit/rate-limit.decorator.js';
import { EVENT_KINDS, type EventKind } from './event-keys.js';
import type { PostEventResult } from './post-event-writer.service.js';
import { POST_RESOURCE } from '../posts/post-view.js';
import { PostEventsService } from './post-events.service.js';

const KINDS = Object.keys(EVENT_KINDS);
const HOST = {
  min: 1,
  max: 253,
  pattern: /^[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*$/,
  message: 'must be a host in lower case, at most 253 characters',
};

export class RecordPostEvent {
  @ApiProperty({ enum: KINDS, example: 'view' })
  @IsIn(KINDS, { message: `kind must be one of ${KINDS.join(', ')}` })
  kind!: EventKind;

  @OptionalField({
    description: 'of a view: the host of the page that links to the post, without a port',
    example: 'news.example.org',
  })
  @IsText(HOST)
  referrer?: string;
}

export class PostEventResultDto {
  @ApiProperty({ description: 'false if this viewer was already counted in this window', example: true })
  counted!: boolean;
}

const PostId = POST_RESOURCE.param('id');

@ApiTags('posts')
@Controller('posts')
@TokenScope('read', 'interactions')
export class PostEventsController {
  constructor(private readonly events: PostEventsService) {}

  @Post(':id/events')
  @Idempotent({ hidesSender: true })
  @HttpCode(200)
  @Access('optional')
  @RateLimit('events', 'visitors')
  @ApiOperation({
    summary: 'Record a view, read or share',
    description:
      'Counts each kind once per viewer, post and window (24 hours by default). A viewer is an account with a ' +
      'verified address, or a keyed hash of the network (an IPv4 address, an IPv6 /56; at most eight of a /24 or /48). Reads and shares of visitors do not move ranks.',
  })
  @ApiOkResponse({ type: PostEventResultDto })
  @ApiProblems('post_not_found')
  recordPostEvent(
    @PostId id: ObjectId,
    @Body() event: RecordPostEvent,
    @WriteRequest() write: WriteRequest<Viewer | null>,
    @ClientAddress() address: string,
  ): Promise<PostEventResult> {
    return this.events.record(id, event, write, address);
  }
}
