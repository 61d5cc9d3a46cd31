import { Controller, Delete, Get, Param, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { IsGone } from '../common/client-gone.js';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { TokenScope } from '../platform/access/token-scope.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { ClientIsGone } from '../platform/http/client-presence.js';
import type { Page } from '../platform/http/pagination/page.js';
import { PageQuery } from '../platform/http/pagination/page.query.js';
import { IdsQuery } from '../platform/http/validation/ids.query.js';
import type { Viewer } from '../platform/access/viewer.js';
import { USERNAME_PARAM } from '../users/username.js';
import { FollowDto, type FollowedUserDto, FollowerDto, FollowPage, RelationshipsDto } from './dto/follow.dto.js';
import { FollowsService } from './follows.service.js';

const FOLLOWING = 'Idempotent: answers with the state and the exact count right after your change, once it is stored.';

@ApiTags('follows')
@Controller('users')
@TokenScope('read', 'interactions')
export class FollowsController {
  constructor(private readonly follows: FollowsService) {}

  @Put(':username/follow')
  @Access('required')
  @ApiOperation({ summary: 'Follow an account', description: `${FOLLOWING} An account follows at most 5,000.` })
  @ApiParam(USERNAME_PARAM)
  @ApiOkResponse({ type: FollowDto })
  @ApiProblems('follow_self', 'user_not_found', 'too_many_follows')
  followUser(
    @CurrentViewer() viewer: Viewer,
    @Param('username') username: string,
    @ClientIsGone() isGone: IsGone,
  ): Promise<FollowDto> {
    return this.follows.follow(viewer, username, true, isGone);
  }

  @Delete(':username/follow')
  @Access('required')
  @ApiOperation({ summary: 'Stop following an account', description: FOLLOWING })
  @ApiParam(USERNAME_PARAM)
  @ApiOkResponse({ type: FollowDto })
  @ApiProblems('follow_self', 'user_not_found')
  unfollowUser(
    @CurrentViewer() viewer: Viewer,
    @Param('username') username: string,
    @ClientIsGone() isGone: IsGone,
  ): Promise<FollowDto> {
    return this.follows.follow(viewer, username, false, isGone);
  }

  @Delete('me/followers/:username')
  @Access('required')
  @ApiOperation({
    summary: 'Remove one of my followers',
    description: `It is not told, and may follow again. ${FOLLOWING}`,
  })
  @ApiParam(USERNAME_PARAM)
  @ApiOkResponse({ type: FollowerDto })
  @ApiProblems('follow_self', 'user_not_found')
  removeFollower(
    @CurrentViewer() viewer: Viewer,
    @Param('username') username: string,
    @ClientIsGone() isGone: IsGone,
  ): Promise<FollowerDto> {
    return this.follows.removeFollower(viewer, username, isGone);
  }

  @Get('me/relationships')
  @Access('required')
  @ApiOperation({
    summary: 'How up to 100 accounts and I stand to each other',
    description: 'One row per account, in the order of the ids; of accounts that do not exist, too.',
  })
  @ApiOkResponse({ type: RelationshipsDto })
  async listRelationships(@CurrentViewer() viewer: Viewer, @Query() query: IdsQuery): Promise<RelationshipsDto> {
    return { data: await this.follows.relationships(viewer, query.ids) };
  }

  @Get(':username/followers')
  @Access('public')
  @ApiOperation({ summary: 'Who follows an account', description: 'The latest first.' })
  @ApiParam(USERNAME_PARAM)
  @ApiOkResponse({ type: FollowPage })
  @ApiProblems('user_not_found')
  listFollowers(@Param('username') username: string, @Query() query: PageQuery): Promise<Page<FollowedUserDto>> {
    return this.follows.followers(username, query);
  }

  @Get(':username/following')
  @Access('public')
  @ApiOperation({ summary: 'Whom an account follows', description: 'The latest first.' })
  @ApiParam(USERNAME_PARAM)
  @ApiOkResponse({ type: FollowPage })
  @ApiProblems('user_not_found')
  listFollowing(@Param('username') username: string, @Query() query: PageQuery): Promise<Page<FollowedUserDto>> {
    return this.follows.following(username, query);
  }
}
