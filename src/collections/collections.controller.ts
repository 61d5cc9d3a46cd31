import { Body, Controller, Delete, Get, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ObjectId } from 'mongodb';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { ForRestricted } from '../platform/access/verified-email.js';
import { TokenScope } from '../platform/access/token-scope.js';
import type { Viewer } from '../platform/access/viewer.js';
import { Cached } from '../platform/cache/cached.decorator.js';
import { IfMatch } from '../platform/http/if-match.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { NoContent } from '../platform/http/openapi/no-content.decorator.js';
import { headerRefs } from '../platform/http/openapi/document-headers.js';
import { etagPrefix } from '../posts/slugged-resource.js';
import type { Page } from '../platform/http/pagination/page.js';
import { Idempotent } from '../platform/idempotency/idempotency.decorator.js';
import { WriteRequest } from '../platform/idempotency/write-request.js';
import { NewcomerLimit } from '../platform/rate-limit/newcomer-limit.decorator.js';
import { LISTS_TAG, tagOf } from './collection-tags.js';
import { CollectionListsService } from './collection-lists.service.js';
import { COLLECTION_RESOURCE, type CollectionJson } from './collection-view.js';
import { CollectionWritesService } from './collection-writes.service.js';
import { CollectionsService } from './collections.service.js';
import { CreateCollection, UpdateCollection } from './dto/collection-input.dto.js';
import { CollectionDto, CollectionPage } from './collection.dto.js';
import { COLLECTIONS_QUERY_DEFAULTS, CollectionsQuery } from './dto/collections.query.js';

const CollectionAddress = COLLECTION_RESOURCE.param();

@ApiTags('collections')
@Controller('collections')
@TokenScope('read', 'posts')
export class CollectionsController {
  constructor(
    private readonly collections: CollectionsService,
    private readonly lists: CollectionListsService,
    private readonly writes: CollectionWritesService,
  ) {}

  @NewcomerLimit('collections')
  @Post()
  @Idempotent()
  @ApiOperation({
    summary: 'Create a collection',
    description:
      'A list of posts of anyone, or a series of your own. An account has at most 100, each with at most 500 posts.',
  })
  @ApiCreatedResponse({ type: CollectionDto, headers: headerRefs('Location', 'ETag') })
  @ApiProblems('user_not_found', 'too_many_collections', 'content_rejected', 'newcomer_content')
  async createCollection(
    @WriteRequest() write: WriteRequest,
    @Body() draft: CreateCollection,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CollectionDto> {
    return COLLECTION_RESOURCE.sendCreated(reply, await this.writes.create(write, draft));
  }

  @Get()
  @Access('optional')
  @Cached({ query: COLLECTIONS_QUERY_DEFAULTS, lowerCase: ['tag'], tags: () => [LISTS_TAG], isFiltered: true })
  @ApiOperation({
    summary: 'List public collections',
    description:
      'The latest, or those with the most likes and followers; all, or those with a tag. A signed-in reader gets none of accounts that the reader blocks or mutes.',
  })
  @ApiOkResponse({ type: CollectionPage })
  listCollections(
    @CurrentViewer() viewer: Viewer | null,
    @Query() query: CollectionsQuery,
  ): Promise<Page<CollectionDto>> {
    return this.lists.browse(query, viewer);
  }

  @Get(':idOrSlug')
  @Access('optional')
  @Cached<CollectionJson>({
    query: {},
    path: ({ params }) => COLLECTION_RESOURCE.canonicalPath(params['idOrSlug']),
    tags: (_, collection) => [tagOf(collection.id)],
    headers: COLLECTION_RESOURCE.headersOf,
    feed: ({ params }) => `${COLLECTION_RESOURCE.canonicalPath(params['idOrSlug'])}/feed.atom`,
    etagPrefix,
  })
  @ApiOperation({
    summary: 'Get a collection',
    description: 'Without its posts. Only its owner and moderators can read a private one.',
  })
  @ApiOkResponse({ type: CollectionDto, headers: headerRefs('ETag') })
  @ApiProblems('collection_not_found')
  getCollection(@CollectionAddress id: ObjectId, @CurrentViewer() viewer: Viewer | null): Promise<CollectionDto> {
    return this.collections.get(id, viewer);
  }

  @ForRestricted('emptying')
  @NewcomerLimit('edits')
  @Patch(':idOrSlug')
  @ApiOperation({
    summary: 'Update a collection',
    description: 'Omitted fields stay unchanged. `If-Match` compares versions, so posts and votes do not conflict.',
  })
  @ApiOkResponse({ type: CollectionDto, headers: headerRefs('ETag') })
  @ApiProblems(
    'forbidden',
    'collection_not_found',
    'precondition_failed',
    'collection_removed',
    'content_rejected',
    'newcomer_content',
  )
  async updateCollection(
    @CollectionAddress id: ObjectId,
    @CurrentViewer() viewer: Viewer,
    @Body() changes: UpdateCollection,
    @Res({ passthrough: true }) reply: FastifyReply,
    @IfMatch() ifMatch?: string,
  ): Promise<CollectionDto> {
    return COLLECTION_RESOURCE.sendCurrent(reply, await this.writes.edit(id, viewer, changes, ifMatch));
  }

  @ForRestricted('removal')
  @Delete(':idOrSlug')
  @NoContent('deleted')
  @ApiOperation({
    summary: 'Delete a collection',
    description: 'For its owner. Its posts stay; votes on it and follows of it are deleted.',
  })
  @ApiProblems('forbidden', 'collection_not_found', 'precondition_failed')
  deleteCollection(
    @CollectionAddress id: ObjectId,
    @CurrentViewer() viewer: Viewer,
    @IfMatch() ifMatch?: string,
  ): Promise<void> {
    return this.writes.delete(id, viewer, ifMatch);
  }
}
