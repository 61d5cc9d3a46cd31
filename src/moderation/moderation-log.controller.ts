import { Controller, Get, Header, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access } from '../platform/access/access.decorator.js';
import { TokenScope } from '../platform/access/token-scope.js';
import { ModerationLogQuery } from './dto/moderation-log.query.js';
import { ModerationActionPage, toModerationAction } from './moderation-action.dto.js';
import { ModerationHistoryService } from './moderation-history.service.js';

/** The log of actions, for moderators. */
@ApiTags('moderation')
@Controller('admin/log')
@Access('required', 'moderator')
@TokenScope('account')
export class ModerationLogController {
  constructor(private readonly history: ModerationHistoryService) {}

  @Get()
  @Header('Cache-Control', 'private, no-cache')
  @ApiOperation({
    summary: 'List actions of moderators and admins',
    description:
      'For moderators. Latest first: actions on content and accounts, decisions about appeals, changes of roles, looks at e-mail addresses, invites of admins, decisions about registrations, dismissed reports. Entries are never changed or deleted. `GET /v1/users?ids=` gives the names of the accounts.',
  })
  @ApiOkResponse({ type: ModerationActionPage })
  async listModerationActions(@Query() query: ModerationLogQuery): Promise<ModerationActionPage> {
    return this.history.list(query).then(({ data, page }) => ({ data: data.map(toModerationAction), page }));
  }
}
