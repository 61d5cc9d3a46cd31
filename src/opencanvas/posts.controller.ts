import { Body, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { Publishes, PublishesUnlessPrivate } from '../platform/access/verified-email.js';
import type { Viewer } from '../platform/access/viewer.js';
import { Cached } from '../platform/cache/cached.decorator.js';
import { IgnoresQuery } from '../platform/http/validation/query.guard.js';
import { ParseObjectIdPipe } from '../platform/http/validation/parse-object-id.pipe.js';
import { WriteRequest } from '../platform/idempotency/write-request.js';
import { NewcomerLimit } from '../platform/rate-limit/newcomer-limit.decorator.js';
import { POST_RESOURCE } from '../posts/post-view.js';
import { PostDeletionsService } from '../posts/post-deletions.service.js';
import { type HandlerResult, ENVELOPE } from './envelope.js';
import { ByIdsQuery, PagesQuery, PostIdBody, PostIdsBody, SavePostBody } from './opencanvas.dto.js';
import type { OpenCanvasCard } from './opencanvas-post.js';
import { deprecationHeaders, OpenCanvasController, ReplacedBy } from './opencanvas-route.js';
import { PostSlug } from './post-address.js';
import { OpenCanvasPostsService, toObjectId } from './posts.service.js';

const POST = '/v1/posts/{idOrSlug}';

@OpenCanvasController()
@Access('required')
export class OpenCanvasPostsController {
  constructor(
    private readonly posts: OpenCanvasPostsService,
    private readonly deletions: PostDeletionsService,
  ) {}

  @Get('p/:slug')
  @ReplacedBy(POST)
  @Access('public')
  @IgnoresQuery()
  @Cached<{ data: OpenCanvasCard }>({
    path: ({ params, routeOptions }) => {
      const post = POST_RESOURCE.canonicalPath(params['slug']);
      return post && routeOptions.url!.replace(':slug', post.slice(-24));
    },
    tags: (_, { data }) => [`post:${data._id}`, `user:${data.authorId}`],
    headers: () => deprecationHeaders(POST),
    vary: 'Accept',
  })
  async getPublicPost(@PostSlug id: ObjectId): Promise<object> {
    return ENVELOPE.success(await this.posts.get(id));
  }

  @Get('private/p/:slug')
  @ReplacedBy(POST)
  getPrivatePost(
    @CurrentViewer() viewer: Viewer,
    @Param('slug') slug: string,
    @Query('postId') postId?: string,
  ): Promise<HandlerResult> {
    return this.posts.getPrivate(slug, postId, viewer);
  }

  @Get('u/posts/byids')
  @ReplacedBy('/v1/posts')
  @Access('public')
  listPostsByIds(@Query() { ids }: ByIdsQuery): Promise<HandlerResult> {
    return this.posts.findByIds(ids);
  }

  @Post('author/posts/byids')
  @ReplacedBy('/v1/posts')
  @Access('public')
  @HttpCode(200)
  async listAuthorPostsByIds(@Body() { postIds }: PostIdsBody): Promise<HandlerResult> {
    return { posts: (await this.posts.findByIds(postIds)).data };
  }

  @Get('u/posts/mine')
  @ReplacedBy('/v1/posts/mine')
  listMyPosts(@CurrentViewer() viewer: Viewer, @Query() query: PagesQuery): Promise<HandlerResult> {
    return this.posts.listMine(viewer, query);
  }

  @Get('u/:userId/posts')
  @ReplacedBy('/v1/users/{username}/posts')
  @Access('public')
  listPostsOfUser(
    @Param('userId', ParseObjectIdPipe) userId: ObjectId,
    @Query() query: PagesQuery,
  ): Promise<HandlerResult> {
    return this.posts.listByAuthor(userId, query);
  }

  @Get('get-new-post-id')
  @ReplacedBy('/v1/posts')
  createPostId(@CurrentViewer() viewer: Viewer): HandlerResult {
    return this.posts.createId(viewer);
  }

  @Post('save/post/written')
  @ReplacedBy('/v1/posts')
  @PublishesUnlessPrivate()
  @HttpCode(200)
  savePost(@WriteRequest() write: WriteRequest, @Body() body: SavePostBody): Promise<HandlerResult> {
    return this.posts.save(write, body);
  }

  @NewcomerLimit('edits')
  @Put('change-post-visibility-status')
  @ReplacedBy(POST)
  @Publishes()
  flipVisibility(@CurrentViewer() viewer: Viewer, @Body() { postId }: PostIdBody): Promise<HandlerResult> {
    return this.posts.toggleVisibility(toObjectId(postId), viewer);
  }

  @NewcomerLimit('profile changes')
  @Put('change-post-featured-status')
  @ReplacedBy('/v1/posts/{id}/featured')
  toggleFeatured(@CurrentViewer() viewer: Viewer, @Body() { postId }: PostIdBody): Promise<HandlerResult> {
    return this.posts.toggleFeatured(toObjectId(postId), viewer);
  }

  @Delete('post/delete')
  @ReplacedBy(POST)
  async deletePost(@CurrentViewer() viewer: Viewer, @Body() { postId }: PostIdBody): Promise<HandlerResult> {
    await this.deletions.delete(toObjectId(postId), viewer);
    return { message: 'Post deleted' };
  }
}
