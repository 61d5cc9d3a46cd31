import { Body, Controller, Delete, Get, Headers, HttpCode, Patch, Post, Put, Query, Res } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiHeader,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ObjectId } from 'mongodb';
import { Withdraws } from '../platform/cache/withdraws.decorator.js';
import { Cached } from '../platform/cache/cached.decorator.js';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { PublishesAsAsked } from '../platform/access/verified-email.js';
import { TokenScope } from '../platform/access/token-scope.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { IF_MATCH } from '../platform/http/if-match.js';
import { headerRefs } from '../platform/http/openapi/document-headers.js';
import { Idempotent, KeepAnswer } from '../platform/idempotency/idempotency.decorator.js';
import type { AnswerKeeper } from '../platform/idempotency/idempotency.guard.js';
import { etagPrefix } from '../platform/http/slugged-resource.js';
import type { Page } from '../platform/http/pagination/page.js';
import { PageQuery } from '../platform/http/pagination/page.query.js';
import { IdsQuery } from '../platform/http/validation/ids.query.js';
import type { Viewer } from '../platform/access/viewer.js';
import { LockDto, PostDto, PostListDto, PostPageDto } from './card/post-card.dto.js';
import { CreatePost, UpdatePost } from './dto/post-input.dto.js';
import { MAX_CONTENT } from './post-rules.js';
import { answerBody } from './post-answers.js';
import type { PostCard } from './card/post-card.js';
import { PostListsService } from './post-lists.service.js';
import { type Post as PostJson, POST_RESOURCE } from './post-view.js';
import { PostsService } from './posts.service.js';
import { PostWritesService } from './post-writes.service.js';

const PostAddress = POST_RESOURCE.param();
const POST_ANSWER = { type: PostDto, headers: headerRefs('ETag') };

@ApiTags('posts')
@Controller('posts')
@TokenScope('read', 'posts')
export class PostsController {
  constructor(
    private readonly posts: PostsService,
    private readonly writes: PostWritesService,
    private readonly lists: PostListsService,
  ) {}

  @Post()
  @PublishesAsAsked()
  @Idempotent()
  @ApiOperation({
    summary: 'Publish a post, or keep it hidden',
    description:
      '`isPublic: false` keeps it hidden. Slug, preview, read time and the copy of the author are worked out by the server.',
  })
  @ApiCreatedResponse({ type: PostDto, headers: headerRefs('Location', 'ETag') })
  @ApiProblems('user_not_found')
  async createPost(
    @CurrentViewer() viewer: Viewer,
    @Body() draft: CreatePost,
    @Res({ passthrough: true }) reply: FastifyReply,
    @KeepAnswer() keep: AnswerKeeper,
  ): Promise<PostJson> {
    const onCommit = keep((post: PostJson) => POST_RESOURCE.answerCreated(reply, post));
    return POST_RESOURCE.answerCreated(reply, await this.posts.create(viewer, draft, { onCommit }));
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
    const ids = query.ids.map((id) => ObjectId.createFromHexString(id));
    return { data: await this.posts.findCards(ids, viewer) };
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
    path: ({ params }) => POST_RESOURCE.canonicalPath(params['idOrSlug']),
    tags: (_, post) => [`post:${post.id}`, `user:${post.author.id}`],
    headers: POST_RESOURCE.headersOf,
    etagPrefix,
  })
  @ApiOperation({
    summary: 'A post with its Markdown',
    description: 'Hidden posts are found by their author and by moderators only.',
  })
  @ApiOkResponse(POST_ANSWER)
  @ApiProblems('post_not_found')
  getPost(@PostAddress id: ObjectId, @CurrentViewer() viewer: Viewer | null): Promise<PostJson> {
    return this.posts.get(id, viewer);
  }

  @Get(':idOrSlug/content')
  @Access('optional')
  @ApiOperation({
    summary: 'The Markdown alone',
    description: 'Kept compressed with zstd: a client that accepts zstd gets the stored bytes as they are.',
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
    return answerBody(reply, await this.posts.getBody(id, viewer), acceptEncoding);
  }

  @Withdraws()
  @PublishesAsAsked()
  @Patch(':idOrSlug')
  @ApiOperation({
    summary: 'Change, publish or hide my post',
    description:
      '`isPublic` publishes and hides. Fields left out stay as they are. If-Match compares versions: votes in between do not get in the way.',
  })
  @ApiHeader(IF_MATCH)
  @ApiOkResponse(POST_ANSWER)
  @ApiProblems('forbidden', 'post_not_found', 'precondition_failed')
  async updatePost(
    @PostAddress id: ObjectId,
    @CurrentViewer() viewer: Viewer,
    @Body() changes: UpdatePost,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Headers('if-match') ifMatch?: string,
  ): Promise<PostJson> {
    return POST_RESOURCE.answerCurrent(reply, await this.posts.edit(id, viewer, changes, { ifMatch }));
  }

  @Withdraws()
  @Delete(':idOrSlug')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Delete a post: its author, or a moderator',
    description: 'Gone from every list, page and count at once; comments, votes and saves go with it.',
  })
  @ApiHeader(IF_MATCH)
  @ApiNoContentResponse({ description: 'deleted' })
  @ApiProblems('forbidden', 'post_not_found', 'precondition_failed')
  deletePost(
    @PostAddress id: ObjectId,
    @CurrentViewer() viewer: Viewer,
    @Headers('if-match') ifMatch?: string,
  ): Promise<void> {
    return this.writes.remove(id, viewer, ifMatch);
  }

  @Put(':idOrSlug/lock')
  @ApiOperation({
    summary: 'Take no new comments on a post: its author, or a moderator',
    description:
      'Idempotent. Those that are there stay and can only be deleted; from the answer on a new one or an edit is refused as `post_locked`.',
  })
  @ApiOkResponse({ type: LockDto })
  @ApiProblems('forbidden', 'post_not_found')
  lockPost(@PostAddress id: ObjectId, @CurrentViewer() viewer: Viewer): Promise<LockDto> {
    return this.lock(id, viewer, true);
  }

  @Delete(':idOrSlug/lock')
  @ApiOperation({ summary: 'Take comments on a post again: its author, or a moderator', description: 'Idempotent.' })
  @ApiOkResponse({ type: LockDto })
  @ApiProblems('forbidden', 'post_not_found')
  unlockPost(@PostAddress id: ObjectId, @CurrentViewer() viewer: Viewer): Promise<LockDto> {
    return this.lock(id, viewer, false);
  }

  private async lock(id: ObjectId, viewer: Viewer, isLocked: boolean): Promise<LockDto> {
    await this.writes.lock(id, viewer, isLocked);
    return { postId: id.toHexString(), isLocked };
  }
}
