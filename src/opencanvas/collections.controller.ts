import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import type { Viewer } from '../platform/access/viewer.js';
import { ParseObjectIdPipe } from '../platform/http/validation/parse-object-id.pipe.js';
import { WriteRequest } from '../platform/idempotency/write-request.js';
import { NewcomerLimit } from '../platform/rate-limit/newcomer-limit.decorator.js';
import { OpenCanvasCollectionsService } from './collections.service.js';
import type { HandlerResult } from './envelope.js';
import { CreateCollectionBody, ShortPagesQuery, UpdateCollectionBody } from './opencanvas.dto.js';
import { OpenCanvasController, ReplacedBy } from './opencanvas-route.js';

const COLLECTIONS = '/v1/collections';
const COLLECTION = '/v1/collections/{idOrSlug}';
const CollectionId = Param('id', ParseObjectIdPipe);

@OpenCanvasController()
@Access('required')
export class OpenCanvasCollectionsController {
  constructor(private readonly collections: OpenCanvasCollectionsService) {}

  @Get('collections')
  @ReplacedBy(COLLECTIONS)
  @Access('public')
  listCollections(@Query() query: ShortPagesQuery): Promise<HandlerResult> {
    return this.collections.browse(query);
  }

  @Get('c/:id')
  @ReplacedBy(COLLECTION)
  @Access('public')
  getCollection(@CollectionId id: ObjectId): Promise<HandlerResult> {
    return this.collections.get(id, null);
  }

  @Get('c/private/:id')
  @ReplacedBy(COLLECTION)
  getPrivateCollection(@CollectionId id: ObjectId, @CurrentViewer() viewer: Viewer): Promise<HandlerResult> {
    return this.collections.getPrivate(id, viewer);
  }

  @Get('u/:userId/collections')
  @ReplacedBy('/v1/users/{username}/collections')
  listCollectionsOfUser(
    @Param('userId', ParseObjectIdPipe) userId: ObjectId,
    @CurrentViewer() viewer: Viewer,
  ): Promise<HandlerResult> {
    return this.collections.listOfOwner(userId, viewer);
  }

  @NewcomerLimit('collections')
  @Post('create/collection')
  @ReplacedBy(COLLECTIONS)
  createCollection(@WriteRequest() write: WriteRequest, @Body() body: CreateCollectionBody): Promise<HandlerResult> {
    return this.collections.create(write, body);
  }

  @NewcomerLimit('edits')
  @Put('update-collection/:id')
  @ReplacedBy(COLLECTION)
  updateCollection(
    @CollectionId id: ObjectId,
    @CurrentViewer() viewer: Viewer,
    @Body() body: UpdateCollectionBody,
  ): Promise<HandlerResult> {
    return this.collections.edit(id, viewer, body);
  }

  @NewcomerLimit('collection posts')
  @Put('add-remove-post/:postId/collection/:id')
  @ReplacedBy('/v1/collections/{idOrSlug}/posts/{postId}')
  togglePost(
    @WriteRequest() write: WriteRequest,
    @CollectionId id: ObjectId,
    @Param('postId', ParseObjectIdPipe) postId: ObjectId,
  ): Promise<HandlerResult> {
    return this.collections.toggle(write, id, postId);
  }

  @Delete('delete-collection/:id')
  @ReplacedBy(COLLECTION)
  deleteCollection(@CollectionId id: ObjectId, @CurrentViewer() viewer: Viewer): Promise<HandlerResult> {
    return this.collections.delete(id, viewer);
  }
}
