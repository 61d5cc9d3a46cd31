import { Controller, Delete, Get, Param, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiProperty, ApiTags } from '@nestjs/swagger';
import { ObjectId } from 'mongodb';
import { EXAMPLE } from '../common/examples.js';
import { Cached } from '../platform/cache/cached.decorator.js';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { TokenScope } from '../platform/access/token-scope.js';
import { ANSWER } from '../platform/http/openapi/answer-schemas.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import type { Page } from '../platform/http/pagination/page.js';
import { DEFAULT_LIMIT, PageQuery } from '../platform/http/pagination/page.query.js';
import type { Viewer } from '../platform/access/viewer.js';
import { profilePath, USERNAME_PARAM } from '../users/username.js';
import { PostListDto, PostPageDto } from './card/post-card.dto.js';
import type { PostCard } from './card/post-card.js';
import { POST_RESOURCE } from './post-view.js';
import { PostListsService } from './post-lists.service.js';

const PostId = POST_RESOURCE.param('postId');

class FeaturedIdsDto {
  @ApiProperty({ type: 'array', items: ANSWER.id, maxItems: 8, example: [EXAMPLE.postId] })
  featuredPostIds!: string[];
}

/** The posts of a profile. */
@ApiTags('posts')
@Controller('users')
@TokenScope('read', 'profile')
export class AuthorPostsController {
  constructor(private readonly lists: PostListsService) {}

  @Get(':username/posts')
  @Access('public')
  @Cached<Page<PostCard>>({
    query: { limit: String(DEFAULT_LIMIT), cursor: '' },
    path: ({ params }) => {
      const profile = profilePath(params['username']);
      return profile && `${profile}/posts`;
    },
    tags: (_, page) => ['feed', ...page.data.slice(0, 1).map((card) => `user:${card.author.id}`)],
    feed: ({ params }) => `${profilePath(params['username'])}/feed.atom`,
  })
  @ApiOperation({
    summary: 'The public posts of an author, newest first',
    description: 'Hidden ones are not among them, for the author neither.',
  })
  @ApiParam(USERNAME_PARAM)
  @ApiOkResponse({ type: PostPageDto })
  @ApiProblems('user_not_found')
  listPostsByAuthor(@Param('username') username: string, @Query() query: PageQuery): Promise<Page<PostCard>> {
    return this.lists.listByAuthor(username, query);
  }

  @Get(':username/featured')
  @Access('public')
  @ApiOperation({
    summary: 'The posts an author features',
    description: 'At most 8, in the author’s order; those that were hidden or deleted since are left out.',
  })
  @ApiParam(USERNAME_PARAM)
  @ApiOkResponse({ type: PostListDto })
  @ApiProblems('user_not_found')
  async listFeaturedPosts(@Param('username') username: string): Promise<{ data: PostCard[] }> {
    return { data: await this.lists.listFeatured(username) };
  }

  @Put('me/featured/:postId')
  @ApiOperation({
    summary: 'Feature one of my posts on my profile',
    description: 'Once is as good as twice. Hiding a post takes it off.',
  })
  @ApiOkResponse({ type: FeaturedIdsDto })
  @ApiProblems('forbidden', 'post_not_found', 'post_hidden', 'too_many_featured')
  async addFeaturedPost(@PostId id: ObjectId, @CurrentViewer() viewer: Viewer): Promise<FeaturedIdsDto> {
    return { featuredPostIds: await this.lists.feature(id, viewer) };
  }

  @Delete('me/featured/:postId')
  @ApiOperation({ summary: 'Take a post off my profile', description: 'Answers the same when it is not there.' })
  @ApiOkResponse({ type: FeaturedIdsDto })
  async removeFeaturedPost(@PostId id: ObjectId, @CurrentViewer() viewer: Viewer): Promise<FeaturedIdsDto> {
    return { featuredPostIds: await this.lists.unfeature(id, viewer) };
  }
}
