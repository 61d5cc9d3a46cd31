import { Controller, Delete, Get, Headers, HttpCode, Post, Query, Res } from '@nestjs/common';
import { ApiHeader, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { ObjectId } from 'mongodb';
import { Access, CurrentViewer } from '../../platform/access/access.decorator.js';
import { TokenScope } from '../../platform/access/token-scope.js';
import type { Viewer } from '../../platform/access/viewer.js';
import { IF_MATCH } from '../../platform/http/if-match.js';
import { ApiProblems } from '../../platform/http/openapi/api-problem.decorator.js';
import { headerRefs } from '../../platform/http/openapi/document-headers.js';
import type { Page } from '../../platform/http/pagination/page.js';
import { PageQuery } from '../../platform/http/pagination/page.query.js';
import { RateLimit } from '../../platform/rate-limit/rate-limit.decorator.js';
import { PostDto } from '../card/post-card.dto.js';
import { type Post as PostJson, POST_RESOURCE } from '../post-view.js';
import { PostHistory } from './post-history.service.js';
import { DiffDto, DiffQuery, type RevisionCardDto, RevisionDto, RevisionPageDto } from './revision.dto.js';
import { VersionParam } from './version-param.decorator.js';

const PostAddress = POST_RESOURCE.param();

/** Earlier versions of a post. */
@ApiTags('posts')
@Controller('posts/:idOrSlug/revisions')
@TokenScope('read', 'posts')
export class PostRevisionsController {
  constructor(private readonly history: PostHistory) {}

  @Get()
  @Access('optional')
  @ApiOperation({
    summary: 'Earlier versions of a post, newest first',
    description:
      'For its author and moderators; where `isHistoryPublic` is set, those that everyone could read when they were replaced are for ' +
      'all who may read the post. Every edit keeps the text it replaces: the newest 50, and beyond them the last one of each day for ' +
      'a year. The present one is the post.',
  })
  @ApiOkResponse({ type: RevisionPageDto })
  @ApiProblems('post_not_found', 'forbidden')
  listPostRevisions(
    @PostAddress id: ObjectId,
    @CurrentViewer() viewer: Viewer | null,
    @Query() query: PageQuery,
  ): Promise<Page<RevisionCardDto>> {
    return this.history.list(id, viewer, query);
  }

  @Get(':version')
  @Access('optional')
  @ApiOperation({ summary: 'An earlier version of a post', description: 'With its Markdown; it never changes.' })
  @ApiOkResponse({ type: RevisionDto })
  @ApiProblems('post_not_found', 'revision_not_found', 'forbidden')
  getPostRevision(
    @PostAddress id: ObjectId,
    @VersionParam() version: number,
    @CurrentViewer() viewer: Viewer | null,
  ): Promise<RevisionDto> {
    return this.history.get(id, version, viewer);
  }

  @Get(':version/diff')
  @Access('optional')
  @RateLimit('previews')
  @ApiOperation({
    summary: 'What changed between two versions of a post',
    description: 'Line by line, as a unified diff: from this version to `against`, or to the present one.',
  })
  @ApiOkResponse({ type: DiffDto })
  @ApiProblems('post_not_found', 'revision_not_found', 'forbidden', 'overloaded')
  diffPostRevision(
    @PostAddress id: ObjectId,
    @VersionParam() version: number,
    @Query() { against }: DiffQuery,
    @CurrentViewer() viewer: Viewer | null,
  ): Promise<DiffDto> {
    return this.history.diff(id, version, against, viewer);
  }

  @Delete(':version')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Delete an earlier version of my post',
    description: 'For good. The post and its other versions stay as they are.',
  })
  @ApiNoContentResponse({ description: 'deleted' })
  @ApiProblems('post_not_found', 'revision_not_found', 'forbidden')
  deletePostRevision(
    @PostAddress id: ObjectId,
    @VersionParam() version: number,
    @CurrentViewer() viewer: Viewer,
  ): Promise<void> {
    return this.history.remove(id, version, viewer);
  }

  @Post(':version/revert')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Make an earlier version of my post the present one',
    description: 'An edit like any other: the text it replaces is kept, and the post has a new version.',
  })
  @ApiHeader(IF_MATCH)
  @ApiOkResponse({ type: PostDto, headers: headerRefs('ETag') })
  @ApiProblems('post_not_found', 'revision_not_found', 'forbidden', 'precondition_failed')
  async revertPost(
    @PostAddress id: ObjectId,
    @VersionParam() version: number,
    @CurrentViewer() viewer: Viewer,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Headers('if-match') ifMatch?: string,
  ): Promise<PostJson> {
    return POST_RESOURCE.answerCurrent(reply, await this.history.revert(id, version, viewer, ifMatch));
  }
}
