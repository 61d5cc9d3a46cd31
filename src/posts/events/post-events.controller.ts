import { Body, Controller, HttpCode, Ip, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ObjectId } from 'mongodb';
import type { IsGone } from '../../common/client-gone.js';
import { Access, CurrentViewer } from '../../platform/access/access.decorator.js';
import { ApiProblems } from '../../platform/http/openapi/api-problem.decorator.js';
import { ClientIsGone } from '../../platform/http/client-presence.js';
import { Idempotent, KeyOfAnswer } from '../../platform/idempotency/idempotency.decorator.js';
import type { AnswerKey } from '../../platform/idempotency/idempotency.service.js';
import { ParseObjectIdPipe } from '../../platform/http/validation/parse-object-id.pipe.js';
import type { Viewer } from '../../platform/access/viewer.js';
import { RateLimit } from '../../platform/rate-limit/rate-limit.decorator.js';
import { PostEventResultDto, RecordPostEvent } from './post-event.dto.js';
import { type PostEventResult, PostEventsService } from './post-events.service.js';

@ApiTags('posts')
@Controller('posts')
export class PostEventsController {
  constructor(private readonly events: PostEventsService) {}

  @Post(':id/events')
  @Idempotent()
  @HttpCode(200)
  @Access('optional')
  @RateLimit('events', 'visitors')
  @ApiOperation({
    summary: 'Count a view, a read or a share',
    description:
      'Once per viewer, post and window (24 hours unless configured). A viewer is the account, or else the network the request ' +
      'comes from (an IPv4 address, an IPv6 /56; at most eight of a /24 or /48), of which only a keyed hash is kept. Reads and ' +
      'shares of visitors are counted and do not move ranks. Answered after the event is stored.',
  })
  @ApiParam({ name: 'id', example: '6650c3a2f1d2b3c4d5e6f708' })
  @ApiOkResponse({ type: PostEventResultDto })
  @ApiProblems('invalid_id', 'post_not_found')
  recordPostEvent(
    @Param('id', ParseObjectIdPipe) id: ObjectId,
    @Body() { kind }: RecordPostEvent,
    @CurrentViewer() viewer: Viewer | null,
    @Ip() address: string,
    @KeyOfAnswer() key: AnswerKey | undefined,
    @ClientIsGone() isGone: IsGone,
  ): Promise<PostEventResult> {
    return this.events.record(id, kind, viewer, address, { key, isGone });
  }
}
