import { Body, Controller, Delete, Get, Put, Query } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ObjectId } from 'mongodb';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { ForRestricted } from '../platform/access/verified-email.js';
import { TokenScope } from '../platform/access/token-scope.js';
import type { Viewer } from '../platform/access/viewer.js';
import { Cached } from '../platform/cache/cached.decorator.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { WriteRequest } from '../platform/idempotency/write-request.js';
import type { Page } from '../platform/http/pagination/page.js';
import { PageQuery } from '../platform/http/pagination/page.query.js';
import { NewcomerLimit } from '../platform/rate-limit/newcomer-limit.decorator.js';
import { COLLECTION_RESOURCE } from './collection-view.js';
import { tagOf } from './collection-tags.js';
import { CollectionPostsService } from './collection-posts.service.js';
import {
  CollectionPostDto,
  CollectionPostPage,
  PlacedPostDto,
  PUT_POST_EXAMPLES,
  PutCollectionPostBody,
  RemovedPostDto,
} from './dto/collection-post.dto.js';
import { PostSeriesDto } from './dto/post-series.dto.js';
import { POST_RESOURCE } from '../posts/post-view.js';
import { PostSeriesService } from './post-series.service.js';

const CollectionId = COLLECTION_RESOURCE.param('id');
const PostId = POST_RESOURCE.param('postId');
const SeriesPostId = POST_RESOURCE.param('id');
const CollectionAddress = COLLECTION_RESOURCE.param();

@ApiTags('collections')
@Controller()
@TokenScope('read', 'posts')
export class CollectionPostsController {
  constructor(
    private readonly posts: CollectionPostsService,
    private readonly series: PostSeriesService,
  ) {}

  @Get('collections/:idOrSlug/posts')
  @Access('optional')
  @ApiOperation({
    summary: 'List posts of a collection',
    description:
      'In the order of the owner. Posts that you may not read are skipped, and in collections of others posts that you block, mute, hide or filter; pages stay full.',
  })
  @ApiOkResponse({ type: CollectionPostPage })
  @ApiProblems('collection_not_found', 'cursor_expired')
  listCollectionPosts(
    @CollectionAddress id: ObjectId,
    @CurrentViewer() viewer: Viewer | null,
    @Query() query: PageQuery,
  ): Promise<Page<CollectionPostDto>> {
    return this.posts.list(id, viewer, query);
  }

  @NewcomerLimit('collection posts')
  @Put('collections/:id/posts/:postId')
  @ApiOperation({
    summary: 'Add or move a post in a collection',
    description:
      'To the end, or next to another post; two named neighbors must be adjacent. A post that is in the collection moves, or stays when no position is given. Idempotent.',
  })
  @ApiBody({ type: PutCollectionPostBody, examples: PUT_POST_EXAMPLES })
  @ApiOkResponse({ type: PlacedPostDto })
  @ApiProblems('forbidden', 'collection_not_found', 'post_not_found')
  @ApiProblems('collection_full', 'post_in_other_series', 'invalid_place', 'content_rejected', 'newcomer_content')
  putCollectionPost(
    @CollectionId id: ObjectId,
    @PostId postId: ObjectId,
    @WriteRequest() write: WriteRequest,
    @Body() body: PutCollectionPostBody,
  ): Promise<PlacedPostDto> {
    return this.posts.put(write, id, postId, body);
  }

  @ForRestricted('removal')
  @Delete('collections/:id/posts/:postId')
  @ApiOperation({
    summary: 'Remove a post from a collection',
    description: 'Idempotent.',
  })
  @ApiOkResponse({ type: RemovedPostDto })
  @ApiProblems('forbidden', 'collection_not_found')
  async removeCollectionPost(
    @CollectionId id: ObjectId,
    @PostId postId: ObjectId,
    @WriteRequest() write: WriteRequest,
  ): Promise<RemovedPostDto> {
    const { postsCount } = await this.posts.remove(write, id, postId);
    return { postsCount };
  }

  @Get('posts/:id/series')
  @Access('optional')
  @Cached<PostSeriesDto>({
    query: {},
    path: ({ params }) => POST_RESOURCE.canonicalPathBelow(params['id'], '/series'),
    // The owner writes all parts, and hiding or publishing a post invalidates its author's tag.
    tags: ({ params }, { collection }) => [
      `post:${POST_RESOURCE.idIn(params['id'])}`,
      `user:${collection.owner.id}`,
      tagOf(collection.id),
    ],
  })
  @ApiOperation({
    summary: 'Get the series of a post',
    description:
      'With its previous and next part, counted among the parts that you may read. 404 for a post without a series.',
  })
  @ApiOkResponse({ type: PostSeriesDto })
  @ApiProblems('post_not_found', 'collection_not_found')
  getPostSeries(@SeriesPostId id: ObjectId, @CurrentViewer() viewer: Viewer | null): Promise<PostSeriesDto> {
    return this.series.of(id, viewer);
  }
}
