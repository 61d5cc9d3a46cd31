import { Body, Controller, Delete, Get, Put, Query } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ObjectId } from 'mongodb';
import type { IsGone } from '../common/client-gone.js';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { TokenScope } from '../platform/access/token-scope.js';
import type { Viewer } from '../platform/access/viewer.js';
import { Cached } from '../platform/cache/cached.decorator.js';
import { ClientIsGone } from '../platform/http/client-presence.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import type { Page } from '../platform/http/pagination/page.js';
import { PageQuery } from '../platform/http/pagination/page.query.js';
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

/** The posts of a collection, and the series of a post. */
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
    summary: 'The posts of a collection, in the order of its owner',
    description: 'Posts that you may not read are passed over; pages are full all the same.',
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

  @Put('collections/:id/posts/:postId')
  @ApiOperation({
    summary: 'Put a post into my collection, or move it there',
    description:
      'At the end, or next to another post of the collection; with both neighbours named, they must be neighbours. A post that ' +
      'is there moves, or stays where no place is given. Idempotent, and answered once it is stored.',
  })
  @ApiBody({ type: PutCollectionPostBody, examples: PUT_POST_EXAMPLES })
  @ApiOkResponse({ type: PlacedPostDto })
  @ApiProblems('forbidden', 'collection_not_found', 'post_not_found')
  @ApiProblems('collection_full', 'post_in_other_series', 'invalid_place')
  putCollectionPost(
    @CollectionId id: ObjectId,
    @PostId postId: ObjectId,
    @CurrentViewer() viewer: Viewer,
    @Body() body: PutCollectionPostBody,
    @ClientIsGone() isGone: IsGone,
  ): Promise<PlacedPostDto> {
    return this.posts.put(viewer, id, postId, body, isGone);
  }

  @Delete('collections/:id/posts/:postId')
  @ApiOperation({
    summary: 'Take a post out of my collection',
    description: 'Idempotent: answers the same when it is not there.',
  })
  @ApiOkResponse({ type: RemovedPostDto })
  @ApiProblems('forbidden', 'collection_not_found')
  async removeCollectionPost(
    @CollectionId id: ObjectId,
    @PostId postId: ObjectId,
    @CurrentViewer() viewer: Viewer,
    @ClientIsGone() isGone: IsGone,
  ): Promise<RemovedPostDto> {
    const { postsCount } = await this.posts.remove(viewer, id, postId, isGone);
    return { postsCount };
  }

  @Get('posts/:id/series')
  @Access('optional')
  @Cached<PostSeriesDto>({
    query: {},
    path: ({ params }) => POST_RESOURCE.canonicalPathBelow(params['id'], '/series'),
    // all parts are by the owner, and a post that is hidden or published changes its author's tag
    tags: ({ params }, { collection }) => [
      `post:${POST_RESOURCE.idIn(params['id'])}`,
      `user:${collection.owner.id}`,
      tagOf(collection.id),
    ],
  })
  @ApiOperation({
    summary: 'The series a post is in, with the parts before and after it',
    description:
      'Counted among the parts that everyone may read; of a series or a post that only you may read, among those that you may. 404 for a post in no series.',
  })
  @ApiOkResponse({ type: PostSeriesDto })
  @ApiProblems('post_not_found', 'collection_not_found')
  getPostSeries(@SeriesPostId id: ObjectId, @CurrentViewer() viewer: Viewer | null): Promise<PostSeriesDto> {
    return this.series.of(id, viewer);
  }
}
