import { Controller, Delete, Get, Param, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { ForRestricted } from '../platform/access/verified-email.js';
import { TokenScope } from '../platform/access/token-scope.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { WriteRequest } from '../platform/idempotency/write-request.js';
import type { Page } from '../platform/http/pagination/page.js';
import { PageQuery } from '../platform/http/pagination/page.query.js';
import { IdsQuery } from '../platform/http/validation/ids.query.js';
import type { Viewer } from '../platform/access/viewer.js';
import { NewcomerLimit } from '../platform/rate-limit/newcomer-limit.decorator.js';
import { USERNAME_PARAM } from '../users/username.js';
import { FollowDto, type FollowedUserDto, FollowerDto, FollowPage, RelationshipsDto } from './dto/follow.dto.js';
import { FollowersQuery } from './dto/followers.query.js';
import { SuggestedUsersDto, SuggestionsQuery } from './dto/suggested.dto.js';
import { FollowsService } from './follows.service.js';
import { SuggestionsService } from './suggestions.service.js';

const FOLLOWING = 'Idempotent. Returns the state and the exact count after the change.';

@ApiTags('follows')
@Controller('users')
@TokenScope('read', 'interactions')
export class FollowsController {
  constructor(
    private readonly follows: FollowsService,
    private readonly suggestions: SuggestionsService,
  ) {}

  @NewcomerLimit('follows')
  @Put(':username/follow')
  @Access('required')
  @ApiOperation({ summary: 'Follow an account', description: `${FOLLOWING} An account follows at most 5,000 others.` })
  @ApiParam(USERNAME_PARAM)
  @ApiOkResponse({ type: FollowDto })
  @ApiProblems('follow_self', 'blocked', 'user_not_found', 'too_many_follows')
  followUser(@WriteRequest() write: WriteRequest, @Param('username') username: string): Promise<FollowDto> {
    return this.follows.follow(write, username, true);
  }

  @ForRestricted('removal')
  @Delete(':username/follow')
  @Access('required')
  @ApiOperation({ summary: 'Unfollow an account', description: FOLLOWING })
  @ApiParam(USERNAME_PARAM)
  @ApiOkResponse({ type: FollowDto })
  @ApiProblems('follow_self', 'user_not_found')
  unfollowUser(@WriteRequest() write: WriteRequest, @Param('username') username: string): Promise<FollowDto> {
    return this.follows.follow(write, username, false);
  }

  @ForRestricted('removal')
  @Delete('me/followers/:username')
  @Access('required')
  @ApiOperation({
    summary: 'Remove a follower',
    description: `The follower is not notified and can follow again. ${FOLLOWING}`,
  })
  @ApiParam(USERNAME_PARAM)
  @ApiOkResponse({ type: FollowerDto })
  @ApiProblems('follow_self', 'user_not_found')
  removeFollower(@WriteRequest() write: WriteRequest, @Param('username') username: string): Promise<FollowerDto> {
    return this.follows.removeFollower(write, username);
  }

  @Get('me/relationships')
  @Access('required')
  @ApiOperation({
    summary: 'List my relationships to accounts',
    description: 'Up to 100, one row per id in the order of the ids, also for unknown ids.',
  })
  @ApiOkResponse({ type: RelationshipsDto })
  async listRelationships(@CurrentViewer() viewer: Viewer, @Query() query: IdsQuery): Promise<RelationshipsDto> {
    return { data: await this.follows.relationships(viewer, query.ids) };
  }

  @Get('suggested')
  @Access('required')
  @ApiOperation({
    summary: 'List suggested accounts',
    description:
      'Accounts that at least two accounts you follow also follow, the most common ones first; from your 200 latest follows, up to five minutes old. Omits accounts that you follow, block or mute.',
  })
  @ApiOkResponse({ type: SuggestedUsersDto })
  async listSuggestedUsers(
    @CurrentViewer() viewer: Viewer,
    @Query() query: SuggestionsQuery,
  ): Promise<SuggestedUsersDto> {
    return { data: await this.suggestions.list(viewer, query.limit) };
  }

  @Get(':username/followers')
  @Access('optional')
  @ApiOperation({ summary: 'List followers', description: 'Most recent first.' })
  @ApiParam(USERNAME_PARAM)
  @ApiOkResponse({ type: FollowPage })
  @ApiProblems('unauthorized', 'user_not_found')
  listFollowers(
    @CurrentViewer() viewer: Viewer | null,
    @Param('username') username: string,
    @Query() query: FollowersQuery,
  ): Promise<Page<FollowedUserDto>> {
    return this.follows.followers(username, query, viewer);
  }

  @Get(':username/following')
  @Access('public')
  @ApiOperation({ summary: 'List followed accounts', description: 'Most recent first.' })
  @ApiParam(USERNAME_PARAM)
  @ApiOkResponse({ type: FollowPage })
  @ApiProblems('user_not_found')
  listFollowing(@Param('username') username: string, @Query() query: PageQuery): Promise<Page<FollowedUserDto>> {
    return this.follows.following(username, query);
  }
}
