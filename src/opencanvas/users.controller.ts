import { Body, Get, Header, Param, Put, Query } from '@nestjs/common';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { TokenScope } from '../platform/access/token-scope.js';
import type { Viewer } from '../platform/access/viewer.js';
import { Cached } from '../platform/cache/cached.decorator.js';
import { NewcomerLimit } from '../platform/rate-limit/newcomer-limit.decorator.js';
import type { HandlerResult } from './envelope.js';
import { ByIdsQuery } from './opencanvas.dto.js';
import { deprecationHeaders, OpenCanvasController, ReplacedBy } from './opencanvas-route.js';
import { UpdateUser } from './people.dto.js';
import { PeopleService } from './people.service.js';

const TOP_WRITERS = '/v1/users/top';

@OpenCanvasController()
@TokenScope('read', 'profile')
export class OpenCanvasUsersController {
  constructor(private readonly people: PeopleService) {}

  @Get('u/top/writers')
  @ReplacedBy(TOP_WRITERS)
  @Access('public')
  @Cached({
    freshMs: (cache) => cache.topWritersTtlMs,
    query: {},
    tags: () => ['top-writers'],
    headers: () => deprecationHeaders(TOP_WRITERS),
  })
  async listTopWriters(): Promise<HandlerResult> {
    // Contains `success`, because the cache stores this response without the envelope.
    return { success: true, data: await this.people.topWriters() };
  }

  @Get('u/users/byids')
  @ReplacedBy('/v1/users')
  @Access('public')
  async listUsersById(@Query() { ids }: ByIdsQuery): Promise<HandlerResult> {
    return this.people.byIds(ids).then((data) => ({ results: data.length, data }));
  }

  @Get('u/:username')
  @ReplacedBy('/v1/users/{username}')
  @Access('optional')
  @Header('Cache-Control', 'private, no-cache')
  async getProfile(
    @Param('username') username: string,
    @CurrentViewer() viewer: Viewer | null,
  ): Promise<HandlerResult> {
    return { data: await this.people.profile(username, viewer) };
  }

  @NewcomerLimit('profile changes')
  @Put('update/user')
  @ReplacedBy('/v1/users/me')
  @Access('required')
  async updateUser(@CurrentViewer() viewer: Viewer, @Body() body: UpdateUser): Promise<HandlerResult> {
    return { message: 'Profile updated successfully', data: await this.people.update(viewer, body) };
  }
}
