import { Controller, Delete, Get, Param, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { IsGone } from '../common/client-gone.js';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { ClientIsGone } from '../platform/http/client-presence.js';
import type { Page } from '../platform/http/pagination/page.js';
import { PageQuery } from '../platform/http/pagination/page.query.js';
import type { Viewer } from '../platform/access/viewer.js';
import { FollowDto, type FollowedUserDto, FollowPage } from './dto/follow.dto.js';
import { FollowsService } from './follows.service.js';
import { USERNAME_SCHEMA } from '../users/username.js';

const USERNAME = {
  name: 'username',
  description: 'present or earlier name, in any case',
  ...USERNAME_SCHEMA,
  example: 'ada_lovelace',
};
const FOLLOWING = 'Idempotent: answers with the state and the exact count right after your change, once it is stored.';

@ApiTags('follows')
@Controller('users/:username')
export class FollowsController {
  constructor(private readonly follows: FollowsService) {}

  @Put('follow')
  @Access('required')
  @ApiOperation({ summary: 'Follow an account', description: `${FOLLOWING} An account follows at most 5,000.` })
  @ApiParam(USERNAME)
  @ApiOkResponse({ type: FollowDto })
  @ApiProblems('follow_self', 'user_not_found', 'too_many_follows')
  followUser(
    @CurrentViewer() viewer: Viewer,
    @Param('username') username: string,
    @ClientIsGone() isGone: IsGone,
  ): Promise<FollowDto> {
    return this.follows.follow(viewer, username, true, isGone);
  }

  @Delete('follow')
  @Access('required')
  @ApiOperation({ summary: 'Stop following an account', description: FOLLOWING })
  @ApiParam(USERNAME)
  @ApiOkResponse({ type: FollowDto })
  @ApiProblems('follow_self', 'user_not_found')
  unfollowUser(
    @CurrentViewer() viewer: Viewer,
    @Param('username') username: string,
    @ClientIsGone() isGone: IsGone,
  ): Promise<FollowDto> {
    return this.follows.follow(viewer, username, false, isGone);
  }

  @Get('followers')
  @Access('public')
  @ApiOperation({ summary: 'Who follows an account', description: 'The latest first.' })
  @ApiParam(USERNAME)
  @ApiOkResponse({ type: FollowPage })
  @ApiProblems('user_not_found')
  listFollowers(@Param('username') username: string, @Query() query: PageQuery): Promise<Page<FollowedUserDto>> {
    return this.follows.followers(username, query);
  }

  @Get('following')
  @Access('public')
  @ApiOperation({ summary: 'Whom an account follows', description: 'The latest first.' })
  @ApiParam(USERNAME)
  @ApiOkResponse({ type: FollowPage })
  @ApiProblems('user_not_found')
  listFollowing(@Param('username') username: string, @Query() query: PageQuery): Promise<Page<FollowedUserDto>> {
    return this.follows.following(username, query);
  }
}
