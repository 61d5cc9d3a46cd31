import { Body, Controller, Delete, Get, Headers, Patch, Post, Put, Query, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags, ApiQuery } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ObjectId } from 'mongodb';
import { EXAMPLE } from '../common/examples.js';
import { Cached } from '../platform/cache/cached.decorator.js';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { ForRestricted, PublishesUnlessPrivate } from '../platform/access/verified-email.js';
import { TokenScope } from '../platform/access/token-scope.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { NoContent } from '../platform/http/openapi/no-content.decorator.js';
import { IfMatch } from '../platform/http/if-match.js';
import { headerRefs } from '../platform/http/openapi/document-headers.js';
import { Idempotent } from '../platform/idempotency/idempotency.decorator.js';
import { WriteRequest } from '../platform/idempotency/write-request.js';
import { etagPrefix } from './slugged-resource.js';
import type { Page } from '../platform/http/pagination/page.js';
import { IdsQuery } from '../platform/http/validation/ids.query.js';
import type { Viewer } from '../platform/access/viewer.js';
import { preferredEncoding } from '../platform/http/compression.js';
import { NewcomerLimit } from '../platform/rate-limit/newcomer-limit.decorator.js';
import { decompressBody } from '../rendering/body-codec.js';
import { LockDto, OwnPostPageDto, PostDto, PostListDto } from './card/post-card.dto.js';
import { MyPostsQuery } from './dto/my-posts.query.js';
import { CreatePost, UpdatePost } from './dto/post-input.dto.js';
import { MAX_CONTENT } from './post-rules.js';
import type { PostCard } from './card/post-card.js';
import { PostListsService } from './post-lists.service.js';
import { type OwnPostCard, type PostJson, POST_RESOURCE, type PostViewRow } from './post-view.js';
import { PostsService } from './posts.service.js';
import { PostDeletionsService } from './post-deletions.service.js';
import { PostLocksService } from './post-locks.service.js';
import type { PostMarkdown } from './post-body.schema.js';
import { canRead, canSee, type PostVisibility } from './visibility.js';

const PostAddress = POST_RESOURCE.param();
const POST_RESPONSE = { type: PostDto, headers: headerRefs('ETag') };

@ApiTags('posts')
@Controller('posts')
@TokenScope('read', 'posts')
export class PostsController {
  constructor(
    private readonly posts: PostsService,
    private readonly deletions: PostDeletionsService,
    private readonly locks: PostLocksService,
    private readonly lists: PostListsService,
  ) {}

  @Post()
  @PublishesUnlessPrivate()
  @Idempotent()
  @ApiOperation({
    summary: 'Create a post',
    description:
      '`visibility: private` keeps it hidden, `unlisted` out of lists. The server computes slug, preview and read time.',
  })
  @ApiCreatedResponse({ type: PostDto, headers: headerRefs('Location', 'ETag') })
  @ApiProblems('user_not_found', 'invalid_visibility', 'content_rejected', 'newcomer_content', 'newcomer_limit')
  async createPost(
    @WriteRequest() write: WriteRequest,
    @Body() draft: CreatePost,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PostJson> {
    return POST_RESOURCE.sendCreated(reply, await this.posts.create(write, draft));
  }

  @Get()
  @Access('optional')
  @ApiOperation({
    summary: 'List posts by id',
    description:
      'Up to 100 cards in the order of the ids, with unlisted posts. Unknown, deleted and hidden posts are omitted, except your own hidden ones; moderators see all.',
  })
  @ApiQuery({ name: 'ids', example: [EXAMPLE.postId] })
  @ApiOkResponse({ type: PostListDto })
  async listPostsById(@Query() query: IdsQuery, @CurrentViewer() viewer: Viewer | null): Promise<{ data: PostCard[] }> {
    const ids = query.ids.map((id) => ObjectId.createFromHexString(id));
    return { data: await this.posts.findCards(ids, viewer, canSee) };
  }

  @Get('mine')
  @ApiOperation({ summary: 'List my posts', description: 'Including unlisted and hidden ones.' })
  @ApiOkResponse({ type: OwnPostPageDto })
  listMyPosts(@CurrentViewer() viewer: Viewer, @Query() query: MyPostsQuery): Promise<Page<OwnPostCard>> {
    return this.lists.listMine(viewer, query);
  }

  @Get(':idOrSlug')
  @Access('optional')
  @Cached<PostJson>({
    query: {},
    path: ({ params }) => POST_RESOURCE.canonicalPath(params['idOrSlug']),
    tags: (_, post) => [`post:${post.id}`, `user:${post.author.id}`],
    headers: POST_RESOURCE.headersOf,
    etagPrefix,
  })
  @ApiOperation({
    summary: 'Get a post',
    description:
      'With its Markdown. Everyone can read an unlisted post by its id, only the author and moderators a hidden one.',
  })
  @ApiOkResponse(POST_RESPONSE)
  @ApiProblems('post_not_found')
  getPost(@PostAddress id: ObjectId, @CurrentViewer() viewer: Viewer | null): Promise<PostJson> {
    return this.posts.get(id, viewer);
  }

  @Get(':idOrSlug/content')
  @Access('optional')
  @ApiOperation({
    summary: 'Get the Markdown of a post',
    description: 'Stored with zstd: a client that accepts zstd gets the stored bytes.',
  })
  @ApiOkResponse({
    content: {
      'text/markdown': { schema: { type: 'string', minLength: 1, maxLength: MAX_CONTENT }, example: '# Notes\n' },
    },
    headers: headerRefs('ETag'),
  })
  @ApiProblems('post_not_found')
  async getPostContent(
    @PostAddress id: ObjectId,
    @CurrentViewer() viewer: Viewer | null,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Headers('accept-encoding') acceptEncoding?: string,
  ): Promise<Buffer> {
    return sendBody(reply, await this.posts.getBody(id, viewer), acceptEncoding);
  }

  @PublishesUnlessPrivate()
  @ForRestricted('emptying')
  @NewcomerLimit('edits')
  @Patch(':idOrSlug')
  @ApiOperation({
    summary: 'Update a post',
    description:
      'Omitted fields stay unchanged; `visibility` publishes and hides. `If-Match` compares versions of the text, so votes do not conflict.',
  })
  @ApiOkResponse(POST_RESPONSE)
  @ApiProblems('forbidden', 'post_not_found', 'precondition_failed', 'invalid_visibility')
  @ApiProblems('content_rejected', 'newcomer_content')
  async updatePost(
    @PostAddress id: ObjectId,
    @CurrentViewer() viewer: Viewer,
    @Body() changes: UpdatePost,
    @Res({ passthrough: true }) reply: FastifyReply,
    @IfMatch() ifMatch?: string,
  ): Promise<PostJson> {
    return POST_RESOURCE.sendCurrent(reply, await this.posts.edit(id, viewer, changes, { ifMatch }));
  }

  @ForRestricted('removal')
  @Delete(':idOrSlug')
  @NoContent('deleted')
  @ApiOperation({
    summary: 'Delete a post',
    description:
      'For its author. Every host stops showing it within 1.5 seconds. `POST /v1/drafts/:id/restore` returns it for 30 days.',
  })
  @ApiProblems('forbidden', 'post_not_found', 'precondition_failed')
  deletePost(@PostAddress id: ObjectId, @CurrentViewer() viewer: Viewer, @IfMatch() ifMatch?: string): Promise<void> {
    return this.deletions.delete(id, viewer, ifMatch);
  }

  @Put(':idOrSlug/lock')
  @ApiOperation({
    summary: 'Lock a post against new comments',
    description:
      'For its author. Idempotent. Existing comments can only be deleted; new ones and edits get `post_locked`.',
  })
  @ApiOkResponse({ type: LockDto })
  @ApiProblems('forbidden', 'post_not_found')
  lockPost(@PostAddress id: ObjectId, @CurrentViewer() viewer: Viewer): Promise<LockDto> {
    return this.lock(id, viewer, true);
  }

  @Delete(':idOrSlug/lock')
  @ApiOperation({ summary: 'Unlock a post', description: 'For its author, unless a moderator locked it. Idempotent.' })
  @ApiOkResponse({ type: LockDto })
  @ApiProblems('forbidden', 'post_not_found')
  unlockPost(@PostAddress id: ObjectId, @CurrentViewer() viewer: Viewer): Promise<LockDto> {
    return this.lock(id, viewer, false);
  }

  private async lock(id: ObjectId, viewer: Viewer, isLocked: boolean): Promise<LockDto> {
    await this.locks.lock(id, viewer, isLocked);
    return { postId: id.toHexString(), isLocked };
  }
}

/** Sends the Markdown alone. A client that accepts the stored encoding gets the stored bytes. */
function sendBody(
  reply: FastifyReply,
  { row, body }: { row: PostViewRow & PostVisibility; body: PostMarkdown },
  acceptEncoding: string | undefined,
): Buffer {
  const canTakeStored = acceptEncoding !== undefined && preferredEncoding(acceptEncoding, [body.codec]) === body.codec;
  const etag = `${row.version}-${body.rawLength.toString(36)}`;
  void reply
    .header('Content-Type', 'text/markdown; charset=utf-8')
    .header('Cache-Control', canRead(row, undefined) ? 'public, no-cache' : 'private, no-cache')
    .header('Vary', 'Accept-Encoding, Authorization')
    .header('ETag', canTakeStored ? `"${etag}-${body.codec}"` : `"${etag}"`);
  const stored = body.bytes.buffer;
  if (!canTakeStored) return Buffer.from(decompressBody({ ...body, bytes: stored }));
  void reply.header('Content-Encoding', body.codec);
  return Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength);
}
