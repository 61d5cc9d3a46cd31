import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CodedError } from '../common/errors.js';
import { AppConfig } from '../config/app-config.js';
import { Access } from '../platform/access/access.decorator.js';
import { Cached } from '../platform/cache/cached.decorator.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { PageQuery } from '../platform/http/pagination/page.query.js';
import { DisclosedActionPage, toDisclosedAction } from './moderation-action.dto.js';
import { ModerationHistoryService } from './moderation-history.service.js';
import { LOG_TAG } from './moderation-log.service.js';

/** The public part of the log, if `MODERATION_LOG=public`. */
@ApiTags('moderation')
@Controller('moderation/log')
export class PublicLogController {
  constructor(
    private readonly history: ModerationHistoryService,
    private readonly config: AppConfig,
  ) {}

  @Get()
  @Access('public')
  @Cached({ query: { limit: '20', cursor: '' }, tags: () => [LOG_TAG] })
  @ApiOperation({
    summary: 'List actions of moderators, for visitors',
    description:
      'Latest first: actions on content and accounts with their public reasons, decisions about appeals. Returns 404 unless the site publishes its log (`MODERATION_LOG=public`).',
  })
  @ApiOkResponse({ type: DisclosedActionPage })
  @ApiProblems('not_found')
  async listPublicActions(@Query() query: PageQuery): Promise<DisclosedActionPage> {
    const { isLogPublic, showsNames } = this.config.moderation;
    if (!isLogPublic) throw new CodedError('not_found', 'This site does not publish its log of moderation.');
    const { data, page } = await this.history.listDisclosed(query);
    return { data: data.map((action) => toDisclosedAction(action, showsNames)), page };
  }
}
