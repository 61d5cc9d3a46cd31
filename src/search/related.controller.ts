import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { ObjectId } from 'mongodb';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { TokenScope } from '../platform/access/token-scope.js';
import type { Viewer } from '../platform/access/viewer.js';
import { Cached } from '../platform/cache/cached.decorator.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { POST_RESOURCE } from '../posts/post-view.js';
import { DEFAULT_RELATED, RelatedPostsDto, RelatedQuery } from './related.dto.js';
import { RelatedPostsService } from './related-posts.service.js';
import { relatedTags } from './search-cache.js';

const FRESH_MS = 600_000;

@ApiTags('search')
@Controller('posts')
@TokenScope('read')
export class RelatedController {
  constructor(private readonly related: RelatedPostsService) {}

  @Get(':idOrSlug/related')
  @Access('optional')
  @Cached<RelatedPostsDto>({
    path: ({ params }) => POST_RESOURCE.canonicalPathBelow(params['idOrSlug'], '/related'),
    query: { limit: String(DEFAULT_RELATED) },
    freshMs: () => FRESH_MS,
    tags: ({ params }, { data }) => relatedTags(POST_RESOURCE.idIn(params['idOrSlug']), data),
    isFiltered: true,
  })
  @ApiOperation({
    summary: 'List related posts',
    description:
      'Public posts with common tags or rare words, best first; at most three of the same author and two of each other one. Up to ten minutes old. A server without a search index lists posts with common tags only.',
  })
  @ApiOkResponse({ type: RelatedPostsDto })
  @ApiProblems('post_not_found')
  listRelatedPosts(
    @POST_RESOURCE.param() id: ObjectId,
    @Query() { limit }: RelatedQuery,
    @CurrentViewer() viewer: Viewer | null,
  ): Promise<RelatedPostsDto> {
    return this.related.list(id, limit, viewer);
  }
}
