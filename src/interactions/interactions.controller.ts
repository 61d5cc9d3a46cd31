import { Body, Controller, Delete, Get, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ObjectId } from 'mongodb';
import { EXAMPLE } from '../common/examples.js';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { ForRestricted } from '../platform/access/verified-email.js';
import { TokenScope } from '../platform/access/token-scope.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { WriteRequest } from '../platform/idempotency/write-request.js';
import type { Page } from '../platform/http/pagination/page.js';
import { PageQuery } from '../platform/http/pagination/page.query.js';
import { IdParam } from '../platform/http/openapi/id-param.decorator.js';
import type { Viewer } from '../platform/access/viewer.js';
import { NewcomerLimit } from '../platform/rate-limit/newcomer-limit.decorator.js';
import { PostPageDto } from '../posts/card/post-card.dto.js';
import type { PostCard } from '../posts/card/post-card.js';
import {
  type FollowedCollectionDto,
  FollowedCollectionPage,
  HideDto,
  SaveDto,
  VoteBody,
  VoteDto,
  type VoterDto,
  VoterPage,
  VotersQuery,
} from './dto/interaction.dto.js';
import { POST_RESOURCE } from '../posts/post-view.js';
import { HiddenPostsService } from './hidden-posts.service.js';
import { InteractionsService } from './interactions.service.js';

const PostId = POST_RESOURCE.param('id');
const CommentId = IdParam({ name: 'id', description: 'id of the comment', example: EXAMPLE.commentId });
const VOTING =
  'Idempotent. Returns your vote and the exact counts after the change. You can vote on public posts and on your own.';
const UNVOTING = 'Idempotent, also for a hidden or deleted target, whose counts are null.';
const VOTERS = 'Most recent vote first; a changed vote keeps its position. Dislikes are not shown by name.';

@ApiTags('interactions')
@Controller()
@TokenScope('read', 'interactions')
export class InteractionsController {
  constructor(
    private readonly interactions: InteractionsService,
    private readonly hiddenPosts: HiddenPostsService,
  ) {}

  @NewcomerLimit('votes')
  @Put('posts/:id/vote')
  @ApiOperation({ summary: 'Vote on a post', description: VOTING })
  @ApiOkResponse({ type: VoteDto })
  @ApiProblems('blocked', 'post_not_found')
  votePost(@WriteRequest() write: WriteRequest, @PostId id: ObjectId, @Body() body: VoteBody): Promise<VoteDto> {
    return this.interactions.vote(write, 'Post', id, body.value);
  }

  @ForRestricted('removal')
  @Delete('posts/:id/vote')
  @ApiOperation({ summary: 'Remove my vote from a post', description: UNVOTING })
  @ApiOkResponse({ type: VoteDto })
  unvotePost(@WriteRequest() write: WriteRequest, @PostId id: ObjectId): Promise<VoteDto> {
    return this.interactions.vote(write, 'Post', id, null);
  }

  @NewcomerLimit('votes')
  @Put('comments/:id/vote')
  @ApiOperation({ summary: 'Vote on a comment', description: VOTING })
  @ApiOkResponse({ type: VoteDto })
  @ApiProblems('blocked', 'comment_not_found')
  voteComment(@WriteRequest() write: WriteRequest, @CommentId id: ObjectId, @Body() body: VoteBody): Promise<VoteDto> {
    return this.interactions.vote(write, 'Comment', id, body.value);
  }

  @ForRestricted('removal')
  @Delete('comments/:id/vote')
  @ApiOperation({ summary: 'Remove my vote from a comment', description: UNVOTING })
  @ApiOkResponse({ type: VoteDto })
  unvoteComment(@WriteRequest() write: WriteRequest, @CommentId id: ObjectId): Promise<VoteDto> {
    return this.interactions.vote(write, 'Comment', id, null);
  }

  @Get('posts/:id/votes')
  @Access('optional')
  @ApiOperation({ summary: 'List accounts that like a post', description: VOTERS })
  @ApiOkResponse({ type: VoterPage })
  @ApiProblems('post_not_found')
  listPostVotes(
    @CurrentViewer() viewer: Viewer | null,
    @PostId id: ObjectId,
    @Query() query: VotersQuery,
  ): Promise<Page<VoterDto>> {
    return this.interactions.voters('Post', id, viewer, query);
  }

  @Get('posts/:id/votes/followed')
  @ApiOperation({ summary: 'List accounts I follow that like a post', description: 'Most recent vote first.' })
  @ApiOkResponse({ type: VoterPage })
  @ApiProblems('post_not_found')
  listFollowedPostVotes(
    @CurrentViewer() viewer: Viewer,
    @PostId id: ObjectId,
    @Query() query: PageQuery,
  ): Promise<Page<VoterDto>> {
    return this.interactions.followedVoters(id, viewer, query);
  }

  @Get('comments/:id/votes')
  @Access('optional')
  @ApiOperation({ summary: 'List accounts that like a comment', description: VOTERS })
  @ApiOkResponse({ type: VoterPage })
  @ApiProblems('comment_not_found')
  listCommentVotes(
    @CurrentViewer() viewer: Viewer | null,
    @CommentId id: ObjectId,
    @Query() query: VotersQuery,
  ): Promise<Page<VoterDto>> {
    return this.interactions.voters('Comment', id, viewer, query);
  }

  @Put('posts/:id/save')
  @ApiOperation({ summary: 'Save a post', description: 'Idempotent; the first save keeps its position.' })
  @ApiOkResponse({ type: SaveDto })
  @ApiProblems('post_not_found')
  savePost(@WriteRequest() write: WriteRequest, @PostId id: ObjectId): Promise<SaveDto> {
    return this.interactions.save(write, id, true);
  }

  @ForRestricted('removal')
  @Delete('posts/:id/save')
  @ApiOperation({
    summary: 'Unsave a post',
    description: 'Idempotent, also for a post that is hidden or deleted.',
  })
  @ApiOkResponse({ type: SaveDto })
  unsavePost(@WriteRequest() write: WriteRequest, @PostId id: ObjectId): Promise<SaveDto> {
    return this.interactions.save(write, id, false);
  }

  @ForRestricted('self')
  @Put('posts/:id/hide')
  @ApiOperation({
    summary: 'Hide a post from my lists',
    description:
      '“Not for me”. Idempotent. The author is not informed, and no count changes. An account hides at most 2,000 posts.',
  })
  @ApiOkResponse({ type: HideDto })
  @ApiProblems('post_not_found', 'too_many_hidden_posts')
  hidePost(@CurrentViewer() viewer: Viewer, @PostId id: ObjectId): Promise<HideDto> {
    return this.hiddenPosts.hide(viewer, id);
  }

  @ForRestricted('self')
  @Delete('posts/:id/hide')
  @ApiOperation({
    summary: 'Unhide a post',
    description: 'Idempotent, also for a post that is private or deleted.',
  })
  @ApiOkResponse({ type: HideDto })
  unhidePost(@CurrentViewer() viewer: Viewer, @PostId id: ObjectId): Promise<HideDto> {
    return this.hiddenPosts.unhide(viewer, id);
  }

  @Get('users/me/saved')
  @ApiOperation({
    summary: 'List my saved posts',
    description: 'Most recent save first. Deleted and hidden posts are skipped; pages stay full.',
  })
  @ApiOkResponse({ type: PostPageDto })
  listSaved(@CurrentViewer() viewer: Viewer, @Query() query: PageQuery): Promise<Page<PostCard>> {
    return this.interactions.saved(viewer, query);
  }

  @Get('users/me/hidden')
  @ApiOperation({
    summary: 'List posts I hide',
    description: 'Most recently hidden first. Deleted and private posts are skipped; pages stay full.',
  })
  @ApiOkResponse({ type: PostPageDto })
  listHidden(@CurrentViewer() viewer: Viewer, @Query() query: PageQuery): Promise<Page<PostCard>> {
    return this.interactions.hidden(viewer, query);
  }

  @Get('users/me/liked')
  @ApiOperation({
    summary: 'List posts I like',
    description: 'Most recent vote first. Deleted and hidden posts are skipped; pages stay full.',
  })
  @ApiOkResponse({ type: PostPageDto })
  listLiked(@CurrentViewer() viewer: Viewer, @Query() query: PageQuery): Promise<Page<PostCard>> {
    return this.interactions.liked(viewer, query);
  }

  @Get('users/me/followed-collections')
  @ApiOperation({
    summary: 'List collections I follow',
    description:
      'Most recent first. A collection that became private is listed without its content, so that you can unfollow it.',
  })
  @ApiOkResponse({ type: FollowedCollectionPage })
  listFollowedCollections(
    @CurrentViewer() viewer: Viewer,
    @Query() query: PageQuery,
  ): Promise<Page<FollowedCollectionDto>> {
    return this.interactions.followedCollections(viewer, query);
  }
}
