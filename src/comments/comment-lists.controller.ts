import { Controller, Get, Header, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { TokenScope } from '../platform/access/token-scope.js';
import type { Viewer } from '../platform/access/viewer.js';
import { Cached } from '../platform/cache/cached.decorator.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import type { Page } from '../platform/http/pagination/page.js';
import { DEFAULT_LIMIT, PageQuery } from '../platform/http/pagination/page.query.js';
import { profilePath, USERNAME_PARAM } from '../users/username.js';
import { CommentListsService } from './comment-lists.service.js';
import { tagOfAuthor, tagsOf } from './comment-view.js';
import type { CommentWithPostDto } from './comment-with-post.dto.js';
import { CommentWithPostPage, ModeratedCommentsQuery } from './dto/comment-lists.dto.js';

/** Lists of comments on many posts. */
@Controller()
@TokenScope('read')
export class CommentListsController {
  constructor(private readonly lists: CommentListsService) {}

  @Get('users/:username/comments')
  @ApiTags('comments')
  @Access('optional')
  @Cached<Page<CommentWithPostDto>>({
    query: { limit: String(DEFAULT_LIMIT), cursor: '' },
    path: ({ params }) => {
      const profile = profilePath(params['username']);
      return profile && `${profile}/comments`;
    },
    // An empty list does not have the id of its author.
    tags: ({ params }, { data }) => [
      tagOfAuthor(params['username']!.toLowerCase()),
      ...data.slice(0, 1).map(({ author }) => `user:${author!.id}`),
      ...tagsOf(data),
    ],
    isFiltered: true,
  })
  @ApiOperation({
    summary: 'List public comments of an account',
    description:
      'Latest first, each with its post, also for the account itself. Without comments on unlisted and private posts, and without deleted and removed ones. Empty for a limited account, and for a signed-in reader who blocks or mutes it.',
  })
  @ApiParam(USERNAME_PARAM)
  @ApiOkResponse({ type: CommentWithPostPage })
  @ApiProblems('user_not_found')
  listCommentsByAuthor(
    @CurrentViewer() viewer: Viewer | null,
    @Param('username') username: string,
    @Query() query: PageQuery,
  ): Promise<Page<CommentWithPostDto>> {
    return this.lists.listByAuthor(username, viewer, query);
  }

  @Get('users/me/comments')
  @ApiTags('comments')
  @Access('required')
  @ApiOperation({
    summary: 'List my comments',
    description:
      'Latest first. Removed ones have their text and `removal`. Those on posts that you may no longer read have `post: null`. Deleted ones are omitted.',
  })
  @ApiOkResponse({ type: CommentWithPostPage })
  listMyComments(@CurrentViewer() viewer: Viewer, @Query() query: PageQuery): Promise<Page<CommentWithPostDto>> {
    return this.lists.listMine(viewer, query);
  }

  @Get('comments/latest')
  @ApiTags('comments')
  @Access('optional')
  @Cached<Page<CommentWithPostDto>>({
    query: { limit: String(DEFAULT_LIMIT), cursor: '' },
    // New comments on other posts appear when the response expires.
    tags: (_, { data }) => tagsOf(data),
    isFiltered: true,
  })
  @ApiOperation({
    summary: 'List the latest public comments',
    description:
      'Of the whole site, each with its post. Without comments on unlisted and private posts, deleted and removed ones, and those of limited accounts. A new comment appears within 30 s, a deleted one disappears at once.',
  })
  @ApiOkResponse({ type: CommentWithPostPage })
  listLatestComments(
    @CurrentViewer() viewer: Viewer | null,
    @Query() query: PageQuery,
  ): Promise<Page<CommentWithPostDto>> {
    return this.lists.listLatest(viewer, query);
  }

  @Get('moderation/comments')
  @ApiTags('moderation')
  @Access('required', 'moderator')
  @TokenScope('account')
  @Header('Cache-Control', 'private, no-cache')
  @ApiOperation({
    summary: 'List comments by state',
    description:
      'For moderators. Latest first, of one account or of all, also on private posts. Removed ones have their text and `removal`. A page that has read 2,000 comments may be short; `nextCursor` is null only at the end. Omits nothing that you block or mute.',
  })
  @ApiOkResponse({ type: CommentWithPostPage })
  listModeratedComments(
    @CurrentViewer() viewer: Viewer,
    @Query() query: ModeratedCommentsQuery,
  ): Promise<Page<CommentWithPostDto>> {
    return this.lists.listForModerator(viewer, query);
  }
}
