import { Body, Controller, Get, Header, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { ObjectId } from 'mongodb';
import { EXAMPLE } from '../common/examples.js';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { TokenScope } from '../platform/access/token-scope.js';
import type { Viewer } from '../platform/access/viewer.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { NoContent } from '../platform/http/openapi/no-content.decorator.js';
import { IdParam } from '../platform/http/openapi/id-param.decorator.js';
import { AppealsService } from './appeals.service.js';
import { AppealsQuery, DecideAppeal } from './dto/appeal-input.dto.js';
import { AppealPage, toAppeal } from './dto/appeal.dto.js';

const ActionId = IdParam({
  name: 'actionId',
  description: 'of the appealed action',
  example: EXAMPLE.appealedActionId,
});

@ApiTags('moderation')
@Controller('moderation/appeals')
@Access('required', 'moderator')
@TokenScope('account')
export class AppealsController {
  constructor(private readonly appeals: AppealsService) {}

  @Get()
  @Header('Cache-Control', 'private, no-cache')
  @ApiOperation({
    summary: 'List appeals',
    description: 'For moderators. The oldest first, with their actions, the names of both sides and the content.',
  })
  @ApiOkResponse({ type: AppealPage })
  async listAppeals(@CurrentViewer() viewer: Viewer, @Query() query: AppealsQuery): Promise<AppealPage> {
    return this.appeals.listShown(query, viewer).then(({ data, page }) => ({ data: data.map(toAppeal), page }));
  }

  @Post(':actionId/decision')
  @NoContent()
  @ApiOperation({
    summary: 'Confirm or undo an appealed action',
    description:
      'For moderators with a higher role than the account, except the one who acted if another one can decide. Acceptance restores the content, or ends the lock or restriction. The account gets a notification with the reason.',
  })
  @ApiProblems('forbidden', 'appeal_not_found', 'appeal_decided')
  async decideAppeal(
    @CurrentViewer() viewer: Viewer,
    @ActionId actionId: ObjectId,
    @Body() body: DecideAppeal,
  ): Promise<void> {
    await this.appeals.decide(viewer, actionId, body);
  }
}
