import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { ObjectId } from 'mongodb';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { TokenScope } from '../platform/access/token-scope.js';
import type { Viewer } from '../platform/access/viewer.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { POST_RESOURCE } from '../posts/post-view.js';
import { AuthorStatisticsDto, PostStatisticsDto } from './dto/stats.dto.js';
import { StatsQuery } from './stats.query.js';
import { StatsService } from './stats.service.js';

const PostId = POST_RESOURCE.param('id');

@Controller()
@TokenScope('read', 'posts')
export class StatsController {
  constructor(private readonly stats: StatsService) {}

  @Get('posts/:id/stats')
  @Access('required')
  @ApiTags('posts')
  @ApiOperation({
    summary: 'Get the stats of my post',
    description: 'For its author and admins. The views, reads and shares of all buckets add up to the counters.',
  })
  @ApiOkResponse({ type: PostStatisticsDto })
  @ApiProblems('post_not_found', 'forbidden', 'invalid_range')
  getPostStats(
    @PostId id: ObjectId,
    @CurrentViewer() viewer: Viewer,
    @Query() query: StatsQuery,
  ): Promise<PostStatisticsDto> {
    return this.stats.ofPost(id, viewer, query);
  }

  @Get('users/me/stats')
  @Access('required')
  @ApiTags('users')
  @ApiOperation({
    summary: 'Get the stats of all my posts',
    description: 'Views, reads and shares are added when their window has ended, by default at midnight (UTC).',
  })
  @ApiOkResponse({ type: AuthorStatisticsDto })
  @ApiProblems('user_not_found', 'invalid_range')
  getOwnStats(@CurrentViewer() viewer: Viewer, @Query() query: StatsQuery): Promise<AuthorStatisticsDto> {
    return this.stats.ofAuthor(viewer._id, viewer, query);
  }
}
