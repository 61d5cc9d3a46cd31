import { Body, Controller, Delete, Get, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags, ApiQuery } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ObjectId } from 'mongodb';
import { EXAMPLE } from '../common/examples.js';
import { Cached } from '../platform/cache/cached.decorator.js';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { ForRestricted } from '../platform/access/verified-email.js';
import { TokenScope } from '../platform/access/token-scope.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { NoContent } from '../platform/http/openapi/no-content.decorator.js';
import { Idempotent } from '../platform/idempotency/idempotency.decorator.js';
import { WriteRequest } from '../platform/idempotency/write-request.js';
import { headerRefs } from '../platform/http/openapi/document-headers.js';
import { IfMatch } from '../platform/http/if-match.js';
import { IdsQuery } from '../platform/http/validation/ids.query.js';
import { IdParam } from '../platform/http/openapi/id-param.decorator.js';
import type { SerializedPage } from '../platform/http/pagination/serialized-page.js';
import type { Viewer } from '../platform/access/viewer.js';
import { NewcomerLimit } from '../platform/rate-limit/newcomer-limit.decorator.js';
import { commentEtag, type CommentJson, locationOf } from './comment-view.js';
import {
  CommentDto,
  CommentHtmlDto,
  CommentHtmlListDto,
  CommentListDto,
  CommentPage,
  CreateCommentBody,
  EditCommentBody,
} from './dto/comment.dto.js';
import { CommentsQuery, RemoveCommentQuery } from './dto/comments.query.js';
import { POST_RESOURCE } from '../posts/post-view.js';
import { CommentHtmlService } from './comment-html.service.js';
import { CommentWritesService } from './comment-writes.service.js';
import { CommentsService } from './comments.service.js';

const PostId = POST_RESOURCE.param('id');
const CommentId = IdParam({ name: 'id', description: 'id of the comment', example: EXAMPLE.commentId });

@ApiTags('comments')
@Controller()
@TokenScope('read', 'comments')
export class CommentsController {
  constructor(
    private readonly comments: CommentsService,
    private readonly writes: CommentWritesService,
    private readonly html: CommentHtmlService,
  ) {}

  @Get('posts/:id/comments')
  @Access('optional')
  @Cached({
    query: { sort: 'newest', limit: '20', cursor: '' },
    path: ({ params }) => POST_RESOURCE.canonicalPathBelow(params['id'], '/comments'),
    tags: ({ params }) => {
      const id = POST_RESOURCE.idIn(params['id']);
      return [`comments:${id}`, `post:${id}`];
    },
    isFiltered: true,
    ownFor: ({ removedAuthors }: SerializedPage) => removedAuthors,
  })
  @ApiOperation({
    summary: 'List comments on a post',
    description:
      'Top-level comments, each with its number of replies. A deleted comment keeps its place while it has replies. Comments of accounts that you block or mute, and those that a filter hides, have `isHiddenForYou`.',
  })
  @ApiOkResponse({ type: CommentPage })
  @ApiProblems('post_not_found')
  listComments(
    @CurrentViewer() viewer: Viewer | null,
    @PostId id: ObjectId,
    @Query() query: CommentsQuery,
  ): Promise<SerializedPage> {
    return this.comments.list(id, viewer, query);
  }

  @Post('posts/:id/comments')
  @Access('required')
  @Idempotent()
  @ApiOperation({
    summary: 'Create a comment or reply',
    description: 'Replies nest up to 30 levels. Works on every post that you can read, unless it is locked.',
  })
  @ApiCreatedResponse({ type: CommentDto, headers: headerRefs('Location') })
  @ApiProblems('comment_too_deep', 'parent_mismatch', 'blocked', 'post_not_found', 'comment_not_found', 'post_locked')
  @ApiProblems('content_rejected', 'newcomer_content', 'newcomer_limit')
  async createComment(
    @WriteRequest() write: WriteRequest,
    @PostId id: ObjectId,
    @Body() body: CreateCommentBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CommentJson> {
    const comment = await this.writes.create(write, id, body);
    void reply.header('Location', locationOf(comment));
    return comment;
  }

  @Get('comments/:id')
  @Access('optional')
  @ApiOperation({
    summary: 'Get a comment',
    description: 'A deleted comment is returned without author and text while it has replies.',
  })
  @ApiOkResponse({ type: CommentDto })
  @ApiProblems('comment_not_found')
  async getComment(
    @CurrentViewer() viewer: Viewer | null,
    @CommentId id: ObjectId,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CommentJson> {
    return sendCurrent(reply, await this.comments.get(id, viewer));
  }

  @Get('comments')
  @Access('optional')
  @ApiOperation({
    summary: 'List comments by id',
    description:
      'Up to 100, in the order of the ids. Unknown comments, and comments on posts you may not read, are omitted.',
  })
  @ApiQuery({ name: 'ids', example: [EXAMPLE.commentId] })
  @ApiOkResponse({ type: CommentListDto })
  async listCommentsById(
    @CurrentViewer() viewer: Viewer | null,
    @Query() query: IdsQuery,
  ): Promise<{ data: CommentJson[] }> {
    const ids = query.ids.map((id) => ObjectId.createFromHexString(id));
    return { data: await this.comments.findByIds(ids, viewer) };
  }

  @Get('comments/html')
  @Access('optional')
  @ApiOperation({
    summary: 'List HTML of comments',
    description:
      'Up to 100, in the order of the ids. Deleted comments, and comments on posts you may not read, are omitted. docs/html.md lists the elements.',
  })
  @ApiQuery({ name: 'ids', example: [EXAMPLE.commentId] })
  @ApiOkResponse({ type: CommentHtmlListDto })
  async listCommentHtml(
    @CurrentViewer() viewer: Viewer | null,
    @Query() query: IdsQuery,
  ): Promise<{ data: CommentHtmlDto[] }> {
    const ids = query.ids.map((id) => ObjectId.createFromHexString(id));
    return { data: await this.html.findByIds(ids, viewer) };
  }

  @Get('comments/:id/replies')
  @Access('optional')
  @ApiOperation({
    summary: 'List replies to a comment',
    description: 'One level, each with its number of replies, and `isHiddenForYou` as in the comments of a post.',
  })
  @ApiOkResponse({ type: CommentPage })
  @ApiProblems('comment_not_found')
  listReplies(
    @CurrentViewer() viewer: Viewer | null,
    @CommentId id: ObjectId,
    @Query() query: CommentsQuery,
  ): Promise<SerializedPage> {
    return this.comments.replies(id, viewer, query);
  }

  @NewcomerLimit('edits')
  @Patch('comments/:id')
  @Access('required')
  @ApiOperation({
    summary: 'Update a comment',
    description:
      'Marks it as edited. Its author can edit it while the post is hidden, not while it is locked. `If-Match` compares edits, so votes and replies do not conflict.',
  })
  @ApiOkResponse({ type: CommentDto, headers: headerRefs('ETag') })
  @ApiProblems('forbidden', 'blocked', 'comment_not_found', 'post_locked', 'precondition_failed')
  @ApiProblems('content_rejected', 'newcomer_content')
  async editComment(
    @CurrentViewer() viewer: Viewer,
    @CommentId id: ObjectId,
    @Body() body: EditCommentBody,
    @Res({ passthrough: true }) reply: FastifyReply,
    @IfMatch() ifMatch?: string,
  ): Promise<CommentJson> {
    return sendCurrent(reply, await this.writes.edit(id, viewer, body.content, ifMatch));
  }

  @ForRestricted('removal')
  @Delete('comments/:id')
  @NoContent('deleted')
  @Access('required')
  @ApiOperation({
    summary: 'Delete a comment',
    description:
      'For its author (also while the post is hidden or locked), and the author of the post. With replies it stays as an empty node of the tree.',
  })
  @ApiProblems('forbidden', 'comment_not_found')
  deleteComment(
    @CurrentViewer() viewer: Viewer,
    @CommentId id: ObjectId,
    @Query() query: RemoveCommentQuery,
  ): Promise<void> {
    return this.writes.delete(id, viewer, query.tree);
  }
}

/** Sets the ETag of the current GET response, for the next If-Match. */
function sendCurrent(reply: FastifyReply, comment: CommentJson): CommentJson {
  void reply.header('ETag', commentEtag(comment));
  return comment;
}
