import { Body, Controller, Delete, Get, Headers, HttpCode, Param, Patch, Post, Put, Query, Res } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiHeader,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ObjectId } from 'mongodb';
import { Cached } from '../platform/cache/cached.decorator.js';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { IF_MATCH } from '../platform/http/if-match.js';
import { headerRef } from '../platform/http/openapi/document-headers.js';
import { Idempotent, KeepAnswer } from '../platform/idempotency/idempotency.decorator.js';
import type { AnswerKeeper } from '../platform/idempotency/idempotency.guard.js';
import { LOCATION } from '../platform/http/openapi/location.decorator.js';
import type { Page } from '../platform/http/pagination/page.js';
import { PageQuery } from '../platform/http/pagination/page.query.js';
import { IdsQuery } from '../platform/http/validation/ids.query.js';
import type { Viewer } from '../platform/access/viewer.js';
import { LockDto, PostDto, PostListDto, PostPageDto } from './card/post-card.dto.js';
import { CreatePost, UpdatePost } from './dto/post-input.dto.js';
import { MAX_CONTENT } from './dto/post-rules.js';
import { ParsePostIdPipe, POST_ADDRESS, postIdOf } from './parse-post-id.pipe.js';
import { answerBody, answerCreated, answerCurrent } from './post-answers.js';
import type { PostCard } from './card/post-card.js';
import { PostListsService } from './post-lists.service.js';
import { etagPrefix, type Post as PostJson, postHeaders } from './post-view.js';
import { PostsService } from './posts.service.js';
import { PostWritesService } from './post-writes.service.js';

const ADDRESS = {
  name: 'idOrSlug',
  description: '`<id>` or `<slug>-<id>`; the id alone decides',
  ...POST_ADDRESS,
  example: 'notes-on-the-analytical-engine-6650c3a2f1d2b3c4d5e6f708',
};
const ETAG = { ETag: headerRef('ETag') };
const WHERE = { 'Content-Location': headerRef('Content-Location'), Link: headerRef('Link') };

@ApiTags('posts')
@Controller('posts')
export class PostsController {
  constructor(
    private readonly posts: PostsService,
    private readonly writes: PostWritesService,
    private readonly lists: PostListsService,
  ) {}

  @Post()
  @Idempotent()
  @ApiOperation({
    summary: 'Publish a post, or keep it as a hidden draft (`isPublic: false`)',
    description: 'Slug, preview, read time and the copy of the author are worked out by the server.',
  })
  @ApiCreatedResponse({
    type: PostDto,
    headers: { ...LOCATION, ...ETAG, 'Content-Location': headerRef('Content-Location') },
  })
  @ApiProblems('user_not_found')
  async createPost(
    @CurrentViewer() viewer: Viewer,
    @Body() draft: CreatePost,
    @Res({ passthrough: true }) reply: FastifyReply,
    @KeepAnswer() keep: AnswerKeeper,
  ): Promise<PostJson> {
    const onCommit = keep((post: PostJson) => answerCreated(reply, post));
    return answerCreated(reply, await this.posts.create(viewer, draft, { onCommit }));
  }

  @Get()
  @Access('optional')
  @ApiOperation({
    summary: 'Up to 100 posts by id, as cards',
    description:
      'In the order of the ids; unknown, deleted and hidden ones are left out. Your own hidden ones are not; for moderators none are.',
  })
  @ApiOkResponse({ type: PostListDto })
  async listPostsById(@Query() query: IdsQuery, @CurrentViewer() viewer: Viewer | null): Promise<{ data: PostCard[] }> {
    return {
      data: await this.posts.findCards(
        query.ids.map((id) => ObjectId.createFromHexString(id)),
        viewer,
      ),
    };
  }

  @Get('mine')
  @ApiOperation({ summary: 'My posts, newest first', description: 'Drafts and hidden ones, too.' })
  @ApiOkResponse({ type: PostPageDto })
  listMyPosts(@CurrentViewer() viewer: Viewer, @Query() query: PageQuery): Promise<Page<PostCard>> {
    return this.lists.listMine(viewer, query);
  }

  @Get(':idOrSlug')
  @Access('optional')
  @Cached<PostJson>({
    query: {},
    path: ({ params }) => canonicalPath(params['idOrSlug']),
    tags: (_, post) => [`post:${post.id}`, `user:${post.author.id}`],
    headers: postHeaders,
    etagPrefix,
  })
  @ApiOperation({
    summary: 'A post with its Markdown',
    description: 'Hidden posts are found by their author and by moderators only.',
  })
  @ApiParam(ADDRESS)
  @ApiOkResponse({ type: PostDto, headers: { ...ETAG, ...WHERE } })
  @ApiProblems('invalid_id', 'post_not_found')
  getPost(@Param('idOrSlug', ParsePostIdPipe) id: ObjectId, @CurrentViewer() viewer: Viewer | null): Promise<PostJson> {
    return this.posts.get(id, viewer);
  }

  @Get(':idOrSlug/content')
  @Access('optional')
  @ApiOperation({
    summary: 'The Markdown alone',
    description: 'Kept compressed with zstd: a client that accepts zstd gets the stored bytes as they are.',
  })
  @ApiParam(ADDRESS)
  @ApiOkResponse({
    content: {
      'text/markdown': { schema: { type: 'string', minLength: 1, maxLength: MAX_CONTENT }, example: '# Notes\n' },
    },
    headers: ETAG,
  })
  @ApiProblems('invalid_id', 'post_not_found')
  async getPostContent(
    @Param('idOrSlug', ParsePostIdPipe) id: ObjectId,
    @CurrentViewer() viewer: Viewer | null,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Headers('accept-encoding') acceptEncoding?: string,
  ): Promise<Buffer> {
    return answerBody(reply, await this.posts.getBody(id, viewer), acceptEncoding);
  }

  @Patch(':idOrSlug')
  @ApiOperation({
    summary: 'Change my post; `isPublic` publishes and hides',
    description:
      'Fields left out stay as they are. If-Match compares versions: votes in between do not get in the way.',
  })
  @ApiParam(ADDRESS)
  @ApiHeader(IF_MATCH)
  @ApiOkResponse({ type: PostDto, headers: { ...ETAG, ...WHERE } })
  @ApiProblems('invalid_id', 'forbidden', 'post_not_found', 'precondition_failed')
  async updatePost(
    @Param('idOrSlug', ParsePostIdPipe) id: ObjectId,
    @CurrentViewer() viewer: Viewer,
    @Body() changes: UpdatePost,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Headers('if-match') ifMatch?: string,
  ): Promise<PostJson> {
    return answerCurrent(reply, await this.writes.edit(id, viewer, changes, ifMatch));
  }

  @Delete(':idOrSlug')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Delete a post: its author, or a moderator',
    description: 'Gone from every list, page and count at once; comments, votes and saves go with it.',
  })
  @ApiParam(ADDRESS)
  @ApiHeader(IF_MATCH)
  @ApiNoContentResponse({ description: 'deleted' })
  @ApiProblems('invalid_id', 'forbidden', 'post_not_found', 'precondition_failed')
  deletePost(
    @Param('idOrSlug', ParsePostIdPipe) id: ObjectId,
    @CurrentViewer() viewer: Viewer,
    @Headers('if-match') ifMatch?: string,
  ): Promise<void> {
    return this.writes.remove(id, viewer, ifMatch);
  }

  @Put(':idOrSlug/lock')
  @ApiOperation({
    summary: 'Take no new comments on a post: its author, or a moderator',
    description: 'Idempotent. Those that are there stay; from the answer on a new one is refused as `post_locked`.',
  })
  @ApiParam(ADDRESS)
  @ApiOkResponse({ type: LockDto })
  @ApiProblems('invalid_id', 'forbidden', 'post_not_found')
  lockPost(@Param('idOrSlug', ParsePostIdPipe) id: ObjectId, @CurrentViewer() viewer: Viewer): Promise<LockDto> {
    return this.lock(id, viewer, true);
  }

  @Delete(':idOrSlug/lock')
  @ApiOperation({ summary: 'Take comments on a post again: its author, or a moderator', description: 'Idempotent.' })
  @ApiParam(ADDRESS)
  @ApiOkResponse({ type: LockDto })
  @ApiProblems('invalid_id', 'forbidden', 'post_not_found')
  unlockPost(@Param('idOrSlug', ParsePostIdPipe) id: ObjectId, @CurrentViewer() viewer: Viewer): Promise<LockDto> {
    return this.lock(id, viewer, false);
  }

  private async lock(id: ObjectId, viewer: Viewer, isLocked: boolean): Promise<LockDto> {
    await this.writes.lock(id, viewer, isLocked);
    return { postId: id.toHexString(), isLocked };
  }
}

/** All spellings of a post's address share one cache entry. */
function canonicalPath(idOrSlug: string | undefined): string | null {
  const id = postIdOf(idOrSlug ?? '');
  return id === null ? null : `/v1/posts/${id}`;
}
