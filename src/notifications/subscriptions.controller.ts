import { Body, Controller, Delete, Get, Param, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { ObjectId } from 'mongodb';
import { CurrentViewer } from '../platform/access/access.decorator.js';
import { ForRestricted } from '../platform/access/verified-email.js';
import { TokenScope } from '../platform/access/token-scope.js';
import type { Viewer } from '../platform/access/viewer.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { NoContent } from '../platform/http/openapi/no-content.decorator.js';
import type { Page } from '../platform/http/pagination/page.js';
import { PageQuery } from '../platform/http/pagination/page.query.js';
import { POST_RESOURCE } from '../posts/post-view.js';
import { USERNAME_PARAM } from '../users/username.js';
import { WatchPost } from './dto/notification-input.dto.js';
import { type BellDto, BellPage, type WatchedPostDto, WatchedPostPage } from './dto/subscription.dto.js';
import { SubscriptionsService } from './subscriptions.service.js';

const PostId = POST_RESOURCE.param('id');

@ApiTags('notifications')
@Controller()
@TokenScope('notifications')
export class SubscriptionsController {
  constructor(private readonly subscriptions: SubscriptionsService) {}

  @ForRestricted('self')
  @Put('posts/:id/watch')
  @NoContent('stored')
  @ApiOperation({
    summary: 'Watch or mute a post',
    description: 'Idempotent. No account sees who watches or mutes. A comment notifies at most 1,000 watchers.',
  })
  @ApiProblems('post_not_found')
  watchPost(@CurrentViewer() viewer: Viewer, @PostId id: ObjectId, @Body() { level }: WatchPost): Promise<void> {
    return this.subscriptions.watch(viewer, id, level);
  }

  @ForRestricted('self')
  @Delete('posts/:id/watch')
  @NoContent('removed')
  @ApiOperation({ summary: 'Stop watching or muting a post', description: 'Idempotent, also for a deleted post.' })
  unwatchPost(@CurrentViewer() viewer: Viewer, @PostId id: ObjectId): Promise<void> {
    return this.subscriptions.unwatch(viewer, id);
  }

  @Get('users/me/watches')
  @ApiOperation({
    summary: 'List posts that I watch or mute',
    description: 'Latest post first. Deleted and private posts are skipped; pages stay full.',
  })
  @ApiOkResponse({ type: WatchedPostPage })
  listWatches(@CurrentViewer() viewer: Viewer, @Query() query: PageQuery): Promise<Page<WatchedPostDto>> {
    return this.subscriptions.listWatches(viewer, query);
  }

  @Get('users/me/bells')
  @ApiOperation({ summary: 'List accounts with a bell of mine', description: 'Latest account first.' })
  @ApiOkResponse({ type: BellPage })
  listBells(@CurrentViewer() viewer: Viewer, @Query() query: PageQuery): Promise<Page<BellDto>> {
    return this.subscriptions.listBells(viewer, query);
  }

  @ForRestricted('self')
  @Put('users/:username/bell')
  @NoContent('stored')
  @ApiOperation({
    summary: 'Add a bell for the new posts of an account',
    description: 'Idempotent; independent of follows. An account has at most 200 bells.',
  })
  @ApiParam(USERNAME_PARAM)
  @ApiProblems('follow_self', 'user_not_found', 'too_many_bells')
  addBell(@CurrentViewer() viewer: Viewer, @Param('username') username: string): Promise<void> {
    return this.subscriptions.enableBell(viewer, username);
  }

  @ForRestricted('self')
  @Delete('users/:username/bell')
  @NoContent('removed')
  @ApiOperation({ summary: 'Remove a bell', description: 'Idempotent.' })
  @ApiParam(USERNAME_PARAM)
  @ApiProblems('user_not_found')
  removeBell(@CurrentViewer() viewer: Viewer, @Param('username') username: string): Promise<void> {
    return this.subscriptions.disableBell(viewer, username);
  }
}
