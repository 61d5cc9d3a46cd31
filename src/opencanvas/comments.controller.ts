import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import { CommentWritesService } from '../comments/comment-writes.service.js';
import { CommentsService } from '../comments/comments.service.js';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import type { Viewer } from '../platform/access/viewer.js';
import { ParseObjectIdPipe } from '../platform/http/validation/parse-object-id.pipe.js';
import { WriteRequest } from '../platform/idempotency/write-request.js';
import { NewcomerLimit } from '../platform/rate-limit/newcomer-limit.decorator.js';
import type { HandlerResult } from './envelope.js';
import {
  ByIdsQuery,
  CommentBody,
  CommentIdBody,
  EditCommentBody,
  ReplyBody,
  ShortPagesQuery,
} from './opencanvas.dto.js';
import { toOpenCanvasComment } from './opencanvas-comment.js';
import { OpenCanvasController, ReplacedBy } from './opencanvas-route.js';
import { toObjectId } from './posts.service.js';

const COMMENT = '/v1/comments/{id}';
const COMMENTS = '/v1/posts/{id}/comments';
const MAX_REPLIES = 100;

@OpenCanvasController()
@Access('required')
export class OpenCanvasCommentsController {
  constructor(
    private readonly comments: CommentsService,
    private readonly writes: CommentWritesService,
  ) {}

  @Get('p/:postId/comments')
  @ReplacedBy(COMMENTS)
  @Access('public')
  async listComments(
    @Param('postId', ParseObjectIdPipe) postId: ObjectId,
    @Query() query: ShortPagesQuery,
  ): Promise<HandlerResult> {
    const comments = await this.comments.byNumber(postId, null, query);
    const data = comments.map((comment) => toOpenCanvasComment(comment));
    return { page: query.page, results: data.length, data };
  }

  @Get('p/comments/:commentId')
  @ReplacedBy(COMMENT)
  @Access('public')
  async getComment(@Param('commentId', ParseObjectIdPipe) id: ObjectId): Promise<HandlerResult> {
    const [comment, ...below] = await this.comments.thread(id, null, MAX_REPLIES);
    const replies = below.map((reply) => toOpenCanvasComment(reply, comment.id));
    return { data: { comment: toOpenCanvasComment(comment), replies } };
  }

  @Get('get-comments/byids')
  @ReplacedBy('/v1/comments')
  @Access('public')
  async listCommentsByIds(@Query() { ids }: ByIdsQuery): Promise<HandlerResult> {
    const comments = await this.comments.findByIds(ids.map(toObjectId), null);
    return { results: comments.length, data: comments.map((comment) => toOpenCanvasComment(comment)) };
  }

  @Post('new-comment')
  @ReplacedBy(COMMENTS)
  async createComment(
    @WriteRequest() write: WriteRequest,
    @Body() { postId, content }: CommentBody,
  ): Promise<HandlerResult> {
    return { data: toOpenCanvasComment(await this.writes.create(write, toObjectId(postId), { content })) };
  }

  @Post('reply-to-comment')
  @ReplacedBy(COMMENTS)
  async createReply(
    @WriteRequest() write: WriteRequest,
    @Body() { postId, parentId, content }: ReplyBody,
  ): Promise<HandlerResult> {
    const reply = await this.writes.create(write, toObjectId(postId), { content, parentId });
    return { data: toOpenCanvasComment(reply) };
  }

  @NewcomerLimit('edits')
  @Put('edit-comment')
  @ReplacedBy(COMMENT)
  async editComment(
    @CurrentViewer() viewer: Viewer,
    @Body() { commentId, content }: EditCommentBody,
  ): Promise<HandlerResult> {
    return { data: toOpenCanvasComment(await this.writes.edit(toObjectId(commentId), viewer, content)) };
  }

  @Delete('delete-comment')
  @ReplacedBy(COMMENT)
  async deleteComment(@CurrentViewer() viewer: Viewer, @Body() { commentId }: CommentIdBody): Promise<HandlerResult> {
    await this.writes.delete(toObjectId(commentId), viewer, false);
    return { message: 'Comment deleted' };
  }
}
