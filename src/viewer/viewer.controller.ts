import { Controller, Get, Header, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentViewer } from '../platform/access/access.decorator.js';
import { TokenScope } from '../platform/access/token-scope.js';
import type { Viewer } from '../platform/access/viewer.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { ViewerDto, ViewerQuery } from './viewer.dto.js';
import { ViewerService } from './viewer.service.js';

/** The viewer's own state for a page, in one request. */
@ApiTags('interactions')
@Controller('viewer')
@TokenScope('read')
export class ViewerController {
  constructor(private readonly viewers: ViewerService) {}

  @Get()
  @Header('Cache-Control', 'private, no-store')
  @ApiOperation({
    summary: 'Get my state for a page',
    description:
      'My account, my unread notifications, and my votes, saves, follows and blocks for up to 100 posts, comments, collections, accounts and tags each. One row per id, in the order of the ids, also for unknown ids.',
  })
  @ApiOkResponse({ type: ViewerDto })
  @ApiProblems('user_not_found')
  getViewer(@CurrentViewer() viewer: Viewer, @Query() query: ViewerQuery): Promise<ViewerDto> {
    return this.viewers.get(viewer, query);
  }
}
