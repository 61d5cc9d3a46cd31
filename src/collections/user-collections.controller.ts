import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { TokenScope } from '../platform/access/token-scope.js';
import type { Viewer } from '../platform/access/viewer.js';
import { Cached } from '../platform/cache/cached.decorator.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import type { Page } from '../platform/http/pagination/page.js';
import { DEFAULT_LIMIT, PageQuery } from '../platform/http/pagination/page.query.js';
import { profilePath, USERNAME_PARAM } from '../users/username.js';
import { LISTS_TAG } from './collection-tags.js';
import { CollectionListsService } from './collection-lists.service.js';
import { CollectionDto, CollectionPage, OwnCollectionDto, OwnCollectionPage } from './collection.dto.js';
import { MyCollectionsQuery } from './dto/collections.query.js';

@ApiTags('collections')
@Controller('users')
@TokenScope('read', 'posts')
export class UserCollectionsController {
  constructor(private readonly lists: CollectionListsService) {}

  @Get('me/collections')
  @ApiOperation({
    summary: 'List my collections',
    description: 'Newest first, including private ones. With `contains`, each says whether it has that post.',
  })
  @ApiOkResponse({ type: OwnCollectionPage })
  listMyCollections(
    @CurrentViewer() viewer: Viewer,
    @Query() query: MyCollectionsQuery,
  ): Promise<Page<OwnCollectionDto>> {
    return this.lists.listMine(viewer, query);
  }

  @Get(':username/collections')
  @Access('optional')
  @Cached<Page<CollectionDto>>({
    query: { limit: String(DEFAULT_LIMIT), cursor: '' },
    path: ({ params }) => {
      const profile = profilePath(params['username']);
      return profile && `${profile}/collections`;
    },
    tags: (_, page) => [LISTS_TAG, ...page.data.slice(0, 1).map(({ owner }) => `user:${owner.id}`)],
    isFiltered: true,
  })
  @ApiOperation({
    summary: 'List public collections of an account',
    description:
      'Newest first. Private collections are not included, not even for the owner. Empty for a signed-in reader who blocks or mutes the account.',
  })
  @ApiParam(USERNAME_PARAM)
  @ApiOkResponse({ type: CollectionPage })
  @ApiProblems('user_not_found')
  listCollectionsByUser(
    @CurrentViewer() viewer: Viewer | null,
    @Param('username') username: string,
    @Query() query: PageQuery,
  ): Promise<Page<CollectionDto>> {
    return this.lists.listByUser(username, query, viewer);
  }
}
