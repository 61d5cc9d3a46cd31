import { Body, Controller, Get, Header, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { TokenScope } from '../platform/access/token-scope.js';
import { ForRestricted } from '../platform/access/verified-email.js';
import type { Viewer } from '../platform/access/viewer.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import type { Page } from '../platform/http/pagination/page.js';
import { PageQuery } from '../platform/http/pagination/page.query.js';
import { RateLimit } from '../platform/rate-limit/rate-limit.decorator.js';
import { AppealsService } from './appeals.service.js';
import { AppealByMail, CreateAppeal } from './dto/appeal-input.dto.js';
import { OwnAppealDto, toOwnAppeal } from './dto/appeal.dto.js';
import { type OwnActionDto, OwnActionPage } from './dto/own-action.dto.js';
import { OwnModerationService } from './own-moderation.service.js';

/** Actions on the caller's account and content, and appeals against them. */
@ApiTags('account')
@Controller()
export class OwnModerationController {
  constructor(
    private readonly moderation: OwnModerationService,
    private readonly appeals: AppealsService,
  ) {}

  @Get('users/me/moderation')
  @Access('required')
  @ForRestricted()
  @TokenScope('account')
  @Header('Cache-Control', 'private, no-cache')
  @ApiOperation({
    summary: 'List actions of moderators on my account and content',
    description: 'Latest first, with the reason, the end of a restriction, and my appeal.',
  })
  @ApiOkResponse({ type: OwnActionPage })
  listMyModeration(@CurrentViewer() viewer: Viewer, @Query() query: PageQuery): Promise<Page<OwnActionDto>> {
    return this.moderation.list(viewer, query);
  }

  @Post('appeals/by-mail')
  @Access('public')
  @RateLimit('auth')
  @ApiOperation({
    summary: 'Create an appeal against a ban without signing in',
    description: 'By the token of the mail about the ban: once, within 30 days. The decision comes by mail.',
  })
  @ApiCreatedResponse({ type: OwnAppealDto })
  @ApiProblems('invalid_email_token', 'action_not_found', 'already_appealed', 'not_appealable')
  async createAppealByMail(@Body() body: AppealByMail): Promise<OwnAppealDto> {
    return toOwnAppeal(await this.appeals.createByMail(body));
  }

  @Post('appeals')
  @Access('required')
  @ForRestricted()
  @TokenScope('account')
  @ApiOperation({
    summary: 'Create an appeal against an action',
    description:
      'Once per action, within 30 days, also while the account is suspended. Another moderator decides; you get a notification.',
  })
  @ApiCreatedResponse({ type: OwnAppealDto })
  @ApiProblems('action_not_found', 'already_appealed', 'not_appealable')
  async createAppeal(@CurrentViewer() viewer: Viewer, @Body() body: CreateAppeal): Promise<OwnAppealDto> {
    return toOwnAppeal(await this.appeals.create(viewer, body));
  }
}
