import { Body, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import type { Transition } from '../interactions/interaction-plan.js';
import { InteractionsService } from '../interactions/interactions.service.js';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import type { Viewer } from '../platform/access/viewer.js';
import { ClientAddress } from '../platform/http/client-address.js';
import { ParseObjectIdPipe } from '../platform/http/validation/parse-object-id.pipe.js';
import { WriteRequest } from '../platform/idempotency/write-request.js';
import { RateLimit } from '../platform/rate-limit/rate-limit.decorator.js';
import { NewcomerLimit } from '../platform/rate-limit/newcomer-limit.decorator.js';
import { PostEventsService } from '../views/post-events.service.js';
import type { HandlerResult } from './envelope.js';
import { PagesQuery, PostIdBody, VoteCollectionBody, VotePostBody } from './opencanvas.dto.js';
import { OpenCanvasController, ReplacedBy } from './opencanvas-route.js';
import { PostSlug } from './post-address.js';
import { cardsOf, toObjectId } from './posts.service.js';

/** Votes, saves and views. The client compares the messages. */
@OpenCanvasController()
@Access('required')
export class OpenCanvasInteractionsController {
  constructor(
    private readonly interactions: InteractionsService,
    private readonly events: PostEventsService,
  ) {}

  @Get('post/:postId/my-interactions')
  @ReplacedBy('/v1/viewer')
  async getMyInteractions(
    @CurrentViewer() viewer: Viewer,
    @Param('postId', ParseObjectIdPipe) postId: ObjectId,
  ): Promise<HandlerResult> {
    const [state] = await this.interactions.states(viewer, [postId.toHexString()]);
    const { vote, isSaved } = state!;
    return { data: { isLiked: vote === 'like', isDisliked: vote === 'dislike', isSaved } };
  }

  @Get('saved/posts')
  @ReplacedBy('/v1/users/me/saved')
  async listSavedPosts(@CurrentViewer() viewer: Viewer, @Query() query: PagesQuery): Promise<HandlerResult> {
    const { cards, total } = await this.interactions.savedPage(viewer, query);
    return { data: cardsOf(cards), total };
  }

  @NewcomerLimit('votes')
  @Post('post/like-dislike')
  @ReplacedBy('/v1/posts/{id}/vote')
  @HttpCode(200)
  async votePost(@WriteRequest() write: WriteRequest, @Body() { postId, vote }: VotePostBody): Promise<HandlerResult> {
    return toResult(await this.interactions.toggleVote(write, 'Post', toObjectId(postId), vote));
  }

  @NewcomerLimit('votes')
  @Post('collection/:id/vote')
  @ReplacedBy('/v1/collections/{idOrSlug}/vote')
  @HttpCode(200)
  async voteCollection(
    @WriteRequest() write: WriteRequest,
    @Param('id', ParseObjectIdPipe) id: ObjectId,
    @Body() { vote }: VoteCollectionBody,
  ): Promise<HandlerResult> {
    return toResult(await this.interactions.toggleVote(write, 'Collection', id, vote));
  }

  @Post('post/save-unsave')
  @ReplacedBy('/v1/posts/{id}/save')
  @HttpCode(200)
  async savePost(@WriteRequest() write: WriteRequest, @Body() { postId }: PostIdBody): Promise<HandlerResult> {
    const transition = await this.interactions.toggleSave(write, toObjectId(postId));
    return transition === 'removed' ? { message: 'Post unsaved' } : { status: 201, message: 'Post saved' };
  }

  /** Ignores the client's `X-Visitor-ID`. The IP address of the request identifies the visitor. */
  @Patch('update-post-views/:slug')
  @ReplacedBy('/v1/posts/{id}/events')
  @Access('optional')
  @RateLimit('events', 'visitors')
  async countView(
    @PostSlug id: ObjectId,
    @WriteRequest() write: WriteRequest<Viewer | null>,
    @ClientAddress() address: string,
  ): Promise<HandlerResult> {
    await this.events.record(id, { kind: 'view' }, write, address);
    return { message: 'View counted' };
  }
}

function toResult(transition: Transition): HandlerResult {
  return { ...(transition === 'recorded' ? { status: 201 } : {}), message: `Vote ${transition}` };
}
