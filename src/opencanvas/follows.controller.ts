import { Body, Get, Param, Post, Query } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { FollowsService } from '../follows/follows.service.js';
import { Access } from '../platform/access/access.decorator.js';
import { TokenScope } from '../platform/access/token-scope.js';
import { ParseObjectIdPipe } from '../platform/http/validation/parse-object-id.pipe.js';
import { WriteRequest } from '../platform/idempotency/write-request.js';
import { NewcomerLimit } from '../platform/rate-limit/newcomer-limit.decorator.js';
import type { HandlerResult } from './envelope.js';
import { OpenCanvasController, ReplacedBy } from './opencanvas-route.js';
import { ShortPagesQuery } from './opencanvas.dto.js';
import { FollowBody } from './people.dto.js';
import { PeopleService } from './people.service.js';

/** Follows by the id of the account. */
@OpenCanvasController()
@TokenScope('read', 'interactions')
export class OpenCanvasFollowsController {
  constructor(
    private readonly follows: FollowsService,
    private readonly people: PeopleService,
  ) {}

  @NewcomerLimit('follows')
  @Post('follow-unfollow/user')
  @ReplacedBy('/v1/users/{username}/follow')
  @Access('required')
  async toggleFollow(
    @WriteRequest() write: WriteRequest,
    @Body() { targetUserId }: FollowBody,
  ): Promise<HandlerResult> {
    const { isFollowing } = await this.follows.toggle(write, new ObjectId(targetUserId));
    return isFollowing ? { status: 201, message: 'Followed' } : { status: 200, message: 'Unfollowed' };
  }

  @Get('u/:userId/followers')
  @ReplacedBy('/v1/users/{username}/followers')
  @Access('public')
  listFollowers(
    @Param('userId', ParseObjectIdPipe) userId: ObjectId,
    @Query() query: ShortPagesQuery,
  ): Promise<HandlerResult> {
    return this.people.followsOf('followers', userId, query);
  }

  @Get('u/:userId/following')
  @ReplacedBy('/v1/users/{username}/following')
  @Access('required')
  listFollowing(
    @Param('userId', ParseObjectIdPipe) userId: ObjectId,
    @Query() query: ShortPagesQuery,
  ): Promise<HandlerResult> {
    return this.people.followsOf('following', userId, query);
  }
}
