import { Body, Controller, Post, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ModerationActionDto } from '../moderation/moderation-action.dto.js';
import { Access } from '../platform/access/access.decorator.js';
import { TokenScope } from '../platform/access/token-scope.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { Idempotent } from '../platform/idempotency/idempotency.decorator.js';
import { WriteRequest } from '../platform/idempotency/write-request.js';
import { ActionsService } from './actions.service.js';
import { CreateModerationAction } from './dto/action-input.dto.js';
import { ActionOutcomesDto } from './dto/action-outcome.dto.js';

/** Actions of moderators on content and accounts. */
@ApiTags('moderation')
@Controller('moderation/actions')
@Access('required', 'moderator')
@TokenScope('account')
export class ActionsController {
  constructor(private readonly actions: ActionsService) {}

  @Post()
  @Idempotent()
  @ApiOperation({
    summary: 'Create an action on content or an account',
    description:
      'For moderators, about accounts with a lower role and their content. The affected account gets a notification with the public reason. The log records the action, and the case of the target closes (`acted`). With `targetIds`, up to 100 targets of one kind: the response is 200, with the action or the error of each.',
  })
  @ApiCreatedResponse({ type: ModerationActionDto, description: 'the action on `targetId`' })
  @ApiOkResponse({ type: ActionOutcomesDto, description: 'the actions on `targetIds`' })
  @ApiProblems(
    'forbidden',
    'invalid_expiry',
    'post_not_found',
    'comment_not_found',
    'collection_not_found',
    'user_not_found',
    'media_not_found',
  )
  @ApiProblems('already_removed', 'not_removed', 'post_locked', 'post_not_locked', 'standing_unchanged')
  @ApiProblems('case_not_found', 'case_claimed', 'case_closed')
  async createModerationAction(
    @WriteRequest() write: WriteRequest,
    @Body() body: CreateModerationAction,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ModerationActionDto | ActionOutcomesDto> {
    const isOne = body.targetIds === undefined;
    void reply.status(isOne ? 201 : 200);
    return isOne ? this.actions.act(write, body) : this.actions.actOnEach(write, body);
  }
}
