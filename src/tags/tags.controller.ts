import { Body, Controller, Delete, Get, Patch, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { TokenScope } from '../platform/access/token-scope.js';
import { ForRestricted } from '../platform/access/verified-email.js';
import type { Viewer } from '../platform/access/viewer.js';
import { Cached } from '../platform/cache/cached.decorator.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { headerRefs } from '../platform/http/openapi/document-headers.js';
import { TagParam } from '../platform/http/openapi/tag-param.decorator.js';
import type { Page } from '../platform/http/pagination/page.js';
import { tagOf } from '../platform/http/validation/tags.decorator.js';
import { WriteRequest } from '../platform/idempotency/write-request.js';
import { NewcomerLimit } from '../platform/rate-limit/newcomer-limit.decorator.js';
import { TagDetailsDto, type TagDto, TagFollowDto, TagListDto, TagPage } from './dto/tag.dto.js';
import { TAGS_QUERY_DEFAULTS, TagsQuery } from './dto/tags.query.js';
import { UpdateTag } from './dto/update-tag.dto.js';
import { TagEditsService } from './tag-edits.service.js';
import { MAX_FOLLOWED_TAGS } from './tag-follow.schema.js';
import { cacheTagOf, TagFollowsService } from './tag-follows.service.js';
import { TAGS_TAG, TagsService } from './tags.service.js';

const pathOf = (tag: string): string => `/v1/tags/${encodeURIComponent(tag)}`;

@ApiTags('tags')
@Controller()
@TokenScope('read', 'interactions')
export class TagsController {
  constructor(
    private readonly tags: TagsService,
    private readonly follows: TagFollowsService,
    private readonly edits: TagEditsService,
  ) {}

  @Get('tags')
  @Access('public')
  @Cached({ query: TAGS_QUERY_DEFAULTS, lowerCase: ['prefix'], tags: () => [TAGS_TAG] })
  @ApiOperation({ summary: 'List tags', description: 'Tags of public posts, by popularity, trend or name.' })
  @ApiOkResponse({ type: TagPage })
  listTags(@Query() query: TagsQuery): Promise<Page<TagDto>> {
    return this.tags.list(query);
  }

  @Get('tags/:tag')
  @Access('public')
  @Cached<TagDetailsDto>({
    query: {},
    path: ({ params }) => {
      const tag = tagOf(params['tag']);
      return tag && pathOf(tag);
    },
    tags: ({ params }, { tag }) => [...new Set([tagOf(params['tag'])!, tag])].map(cacheTagOf),
    headers: ({ tag }) => ({ 'content-location': pathOf(tag) }),
  })
  @ApiOperation({
    summary: 'Get a tag',
    description: 'For an alias, the tag that it stands for, whose URL is in `Content-Location`.',
  })
  @ApiOkResponse({ type: TagDetailsDto, headers: headerRefs('ETag') })
  getTag(@TagParam tag: string): Promise<TagDetailsDto> {
    return this.tags.get(tag);
  }

  @Patch('tags/:tag')
  @Access('required', 'moderator')
  @TokenScope('account')
  @ApiOperation({
    summary: 'Update a tag',
    description:
      'For moderators. Missing fields stay unchanged. An alias stands for another tag, which is no alias itself; posts keep their tags.',
  })
  @ApiOkResponse({ type: TagDetailsDto })
  @ApiProblems('invalid_alias')
  updateTag(@CurrentViewer() viewer: Viewer, @TagParam tag: string, @Body() body: UpdateTag): Promise<TagDetailsDto> {
    return this.edits.update(viewer, tag, body);
  }

  @NewcomerLimit('follows')
  @Put('tags/:tag/follow')
  @Access('required')
  @ApiOperation({
    summary: 'Follow a tag',
    description: `Idempotent. Returns the state and the exact count after the change. An account follows at most ${MAX_FOLLOWED_TAGS} tags.`,
  })
  @ApiOkResponse({ type: TagFollowDto })
  @ApiProblems('too_many_tags')
  followTag(@WriteRequest() write: WriteRequest, @TagParam tag: string): Promise<TagFollowDto> {
    return this.follows.follow(write, tag);
  }

  @ForRestricted('removal')
  @Delete('tags/:tag/follow')
  @Access('required')
  @ApiOperation({
    summary: 'Unfollow a tag',
    description: 'Idempotent. Returns the state and the exact count after the change.',
  })
  @ApiOkResponse({ type: TagFollowDto })
  unfollowTag(@WriteRequest() write: WriteRequest, @TagParam tag: string): Promise<TagFollowDto> {
    return this.follows.unfollow(write, tag);
  }

  @Get('users/me/tags')
  @Access('required')
  @ApiOperation({
    summary: 'List tags I follow',
    description: 'Most recent first. Interests that you add to your profile are followed, too.',
  })
  @ApiOkResponse({ type: TagListDto })
  async listFollowedTags(@CurrentViewer() viewer: Viewer): Promise<TagListDto> {
    return { data: await this.follows.list(viewer._id) };
  }
}
