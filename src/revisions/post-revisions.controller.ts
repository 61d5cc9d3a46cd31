import { Controller, Delete, Get, HttpCode, Post, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { ObjectId } from 'mongodb';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { ForRestricted } from '../platform/access/verified-email.js';
import { TokenScope } from '../platform/access/token-scope.js';
import type { Viewer } from '../platform/access/viewer.js';
import { IfMatch } from '../platform/http/if-match.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { NoContent } from '../platform/http/openapi/no-content.decorator.js';
import { headerRefs } from '../platform/http/openapi/document-headers.js';
import type { Page } from '../platform/http/pagination/page.js';
import { PageQuery } from '../platform/http/pagination/page.query.js';
import { Idempotent } from '../platform/idempotency/idempotency.decorator.js';
import { WriteRequest } from '../platform/idempotency/write-request.js';
import { RateLimit } from '../platform/rate-limit/rate-limit.decorator.js';
import { NewcomerLimit } from '../platform/rate-limit/newcomer-limit.decorator.js';
import { PostDto } from '../posts/card/post-card.dto.js';
import { type PostJson, POST_RESOURCE } from '../posts/post-view.js';
import { PostHistoryService } from './post-history.service.js';
import { DiffDto, DiffQuery, type RevisionCardDto, RevisionDto, RevisionPageDto } from './revision.dto.js';
import { VersionParam } from './version-param.decorator.js';

const PostAddress = POST_RESOURCE.param();

/** Earlier versions of a post. */
@ApiTags('posts')
@Controller('posts/:idOrSlug/revisions')
@TokenScope('read', 'posts')
export class PostRevisionsController {
  constructor(private readonly history: PostHistoryService) {}

  @Get()
  @Access('optional')
  @ApiOperation({
    summary: 'List versions of a post',
    description:
      'Newest first, for the author and moderators. With `isHistoryPublic`, readers of the post see those that were public. The server stores ' +
      'the newest 50, and the last one of each day for a year.',
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
  @ApiOperation({ summary: 'Get a version of a post', description: 'With its Markdown. A version never changes.' })
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
    summary: 'Compare two versions of a post',
    description: 'A unified diff by line, from this version to `against`, or to the current one.',
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

  @ForRestricted('removal')
  @Delete(':version')
  @NoContent('deleted')
  @ApiOperation({
    summary: 'Delete a version of a post',
    description: 'The version cannot be restored. The post and its other versions stay.',
  })
  @ApiProblems('post_not_found', 'revision_not_found', 'forbidden')
  deletePostRevision(
    @PostAddress id: ObjectId,
    @VersionParam() version: number,
    @CurrentViewer() viewer: Viewer,
  ): Promise<void> {
    return this.history.delete(id, version, viewer);
  }

  @NewcomerLimit('edits')
  @Post(':version/revert')
  @Idempotent()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Revert a post to a version',
    description: 'An edit like any other: the replaced text is kept as a version.',
  })
  @ApiOkResponse({ type: PostDto, headers: headerRefs('ETag') })
  @ApiProblems('post_not_found', 'revision_not_found', 'forbidden', 'precondition_failed')
  @ApiProblems('content_rejected', 'newcomer_content')
  async revertPost(
    @PostAddress id: ObjectId,
    @VersionParam() version: number,
    @WriteRequest() write: WriteRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @IfMatch() ifMatch?: string,
  ): Promise<PostJson> {
    return POST_RESOURCE.sendCurrent(reply, await this.history.revert(id, version, write, ifMatch));
  }
}
