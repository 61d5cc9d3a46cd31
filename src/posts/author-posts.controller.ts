import { Controller, Delete, Get, Param, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiProperty, ApiTags } from '@nestjs/swagger';
import { ObjectId } from 'mongodb';
import { EXAMPLE } from '../common/examples.js';
import { Cached } from '../platform/cache/cached.decorator.js';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { ForRestricted } from '../platform/access/verified-email.js';
import { TokenScope } from '../platform/access/token-scope.js';
import { RESPONSE_SCHEMAS } from '../platform/http/openapi/response-schemas.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import type { Page } from '../platform/http/pagination/page.js';
import { DEFAULT_LIMIT, PageQuery } from '../platform/http/pagination/page.query.js';
import type { Viewer } from '../platform/access/viewer.js';
import { NewcomerLimit } from '../platform/rate-limit/newcomer-limit.decorator.js';
import { profilePath, USERNAME_PARAM } from '../users/username.js';
import { PostListDto, PostPageDto } from './card/post-card.dto.js';
import type { PostCard } from './card/post-card.js';
import { POST_RESOURCE } from './post-view.js';
import { PostListsService } from './post-lists.service.js';

const PostId = POST_RESOURCE.param('postId');

class FeaturedIdsDto {
  @ApiProperty({ type: 'array', items: RESPONSE_SCHEMAS.id, maxItems: 8, example: [EXAMPLE.postId] })
  featuredPostIds!: string[];
}

@ApiTags('posts')
@Controller('users')
@TokenScope('read', 'profile')
export class AuthorPostsController {
  constructor(private readonly lists: PostListsService) {}

  @Get(':username/posts')
  @Access('optional')
  @Cached<Page<PostCard>>({
    query: { limit: String(DEFAULT_LIMIT), cursor: '' },
    path: ({ params }) => {
      const profile = profilePath(params['username']);
      return profile && `${profile}/posts`;
    },
    tags: (_, page) => ['feed', ...page.data.slice(0, 1).map((card) => `user:${card.author.id}`)],
    isFiltered: true,
    feed: ({ params }) => `${profilePath(params['username'])}/feed.atom`,
  })
  @ApiOperation({
    summary: 'List public posts of an author',
    description:
      'Newest first. Hidden posts are not included, not even for the author. Empty for a signed-in reader who blocks or mutes the author.',
  })
  @ApiParam(USERNAME_PARAM)
  @ApiOkResponse({ type: PostPageDto })
  @ApiProblems('user_not_found')
  listPostsByAuthor(
    @CurrentViewer() viewer: Viewer | null,
    @Param('username') username: string,
    @Query() query: PageQuery,
  ): Promise<Page<PostCard>> {
    return this.lists.listByAuthor(username, query, viewer);
  }

  @Get(':username/featured')
  @Access('public')
  @ApiOperation({
    summary: 'List featured posts of an author',
    description: 'At most 8, in the order chosen by the author. Hidden and deleted posts are omitted.',
  })
  @ApiParam(USERNAME_PARAM)
  @ApiOkResponse({ type: PostListDto })
  @ApiProblems('user_not_found')
  async listFeaturedPosts(@Param('username') username: string): Promise<{ data: PostCard[] }> {
    return { data: await this.lists.listFeatured(username) };
  }

  @NewcomerLimit('profile changes')
  @Put('me/featured/:postId')
  @ApiOperation({
    summary: 'Feature a post on my profile',
    description: 'Idempotent. Hiding a post removes it.',
  })
  @ApiOkResponse({ type: FeaturedIdsDto })
  @ApiProblems('forbidden', 'post_not_found', 'post_hidden', 'too_many_featured')
  async addFeaturedPost(@PostId id: ObjectId, @CurrentViewer() viewer: Viewer): Promise<FeaturedIdsDto> {
    return { featuredPostIds: await this.lists.feature(id, viewer) };
  }

  @ForRestricted('removal')
  @Delete('me/featured/:postId')
  @ApiOperation({ summary: 'Remove a featured post', description: 'Idempotent.' })
  @ApiOkResponse({ type: FeaturedIdsDto })
  async removeFeaturedPost(@PostId id: ObjectId, @CurrentViewer() viewer: Viewer): Promise<FeaturedIdsDto> {
    return { featuredPostIds: await this.lists.unfeature(id, viewer) };
  }
}
