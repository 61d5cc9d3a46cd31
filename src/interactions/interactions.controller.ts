import { Body, Controller, Delete, Get, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ObjectId } from 'mongodb';
import { EXAMPLE } from '../common/examples.js';
import type { IsGone } from '../common/client-gone.js';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { TokenScope } from '../platform/access/token-scope.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { ClientIsGone } from '../platform/http/client-presence.js';
import type { Page } from '../platform/http/pagination/page.js';
import { PageQuery } from '../platform/http/pagination/page.query.js';
import { IdParam } from '../platform/http/openapi/id-param.decorator.js';
import type { Viewer } from '../platform/access/viewer.js';
import { PostPageDto } from '../posts/card/post-card.dto.js';
import type { PostCard } from '../posts/card/post-card.js';
import {
  type FollowedCollectionDto,
  FollowedCollectionPage,
  InteractionStatesDto,
  SaveDto,
  TargetsQuery,
  VoteBody,
  VoteDto,
  type VoterDto,
  VoterPage,
  VotersQuery,
} from './dto/interaction.dto.js';
import { POST_RESOURCE } from '../posts/post-view.js';
import { InteractionsService } from './interactions.service.js';

const PostId = POST_RESOURCE.param('id');
const CommentId = IdParam({ name: 'id', description: 'id of the comment', example: EXAMPLE.commentId });
const VOTING =
  'Idempotent: answers with the vote you hold now and the exact counts right after your change, once they are stored. You may vote ' +
  'on what is public, and on your own.';
const UNVOTING = 'Idempotent, also of what is hidden or deleted by now: of that the counts are null.';
const VOTERS = 'The latest vote first; a vote that was changed keeps its place. Dislikes are not shown by name.';

@ApiTags('interactions')
@Controller()
@TokenScope('read', 'interactions')
export class InteractionsController {
  constructor(private readonly interactions: InteractionsService) {}

  @Put('posts/:id/vote')
  @ApiOperation({ summary: 'Like or dislike a post', description: VOTING })
  @ApiOkResponse({ type: VoteDto })
  @ApiProblems('post_not_found')
  votePost(
    @CurrentViewer() viewer: Viewer,
    @PostId id: ObjectId,
    @Body() body: VoteBody,
    @ClientIsGone() isGone: IsGone,
  ): Promise<VoteDto> {
    return this.interactions.vote(viewer, 'Post', id, body.value, isGone);
  }

  @Delete('posts/:id/vote')
  @ApiOperation({ summary: 'Take back my vote on a post', description: UNVOTING })
  @ApiOkResponse({ type: VoteDto })
  unvotePost(@CurrentViewer() viewer: Viewer, @PostId id: ObjectId, @ClientIsGone() isGone: IsGone): Promise<VoteDto> {
    return this.interactions.vote(viewer, 'Post', id, null, isGone);
  }

  @Put('comments/:id/vote')
  @ApiOperation({ summary: 'Like or dislike a comment', description: VOTING })
  @ApiOkResponse({ type: VoteDto })
  @ApiProblems('comment_not_found')
  voteComment(
    @CurrentViewer() viewer: Viewer,
    @CommentId id: ObjectId,
    @Body() body: VoteBody,
    @ClientIsGone() isGone: IsGone,
  ): Promise<VoteDto> {
    return this.interactions.vote(viewer, 'Comment', id, body.value, isGone);
  }

  @Delete('comments/:id/vote')
  @ApiOperation({ summary: 'Take back my vote on a comment', description: UNVOTING })
  @ApiOkResponse({ type: VoteDto })
  unvoteComment(
    @CurrentViewer() viewer: Viewer,
    @CommentId id: ObjectId,
    @ClientIsGone() isGone: IsGone,
  ): Promise<VoteDto> {
    return this.interactions.vote(viewer, 'Comment', id, null, isGone);
  }

  @Get('posts/:id/votes')
  @Access('optional')
  @ApiOperation({ summary: 'Who likes a post', description: VOTERS })
  @ApiOkResponse({ type: VoterPage })
  @ApiProblems('post_not_found')
  listPostVotes(
    @CurrentViewer() viewer: Viewer | null,
    @PostId id: ObjectId,
    @Query() query: VotersQuery,
  ): Promise<Page<VoterDto>> {
    return this.interactions.voters('Post', id, viewer, query);
  }

  @Get('comments/:id/votes')
  @Access('optional')
  @ApiOperation({ summary: 'Who likes a comment', description: VOTERS })
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
  @ApiOperation({ summary: 'Save a post for later', description: 'Idempotent; the first save keeps its place.' })
  @ApiOkResponse({ type: SaveDto })
  @ApiProblems('post_not_found')
  savePost(@CurrentViewer() viewer: Viewer, @PostId id: ObjectId, @ClientIsGone() isGone: IsGone): Promise<SaveDto> {
    return this.interactions.save(viewer, id, true, isGone);
  }

  @Delete('posts/:id/save')
  @ApiOperation({
    summary: 'Forget a saved post',
    description: 'Idempotent, also of a post that is hidden or deleted by now.',
  })
  @ApiOkResponse({ type: SaveDto })
  unsavePost(@CurrentViewer() viewer: Viewer, @PostId id: ObjectId, @ClientIsGone() isGone: IsGone): Promise<SaveDto> {
    return this.interactions.save(viewer, id, false, isGone);
  }

  @Get('interactions')
  @ApiOperation({
    summary: 'My votes, saves and follows for many posts, comments and collections at once',
    description: 'One state per target, in the order asked; of targets that do not exist, too.',
  })
  @ApiOkResponse({ type: InteractionStatesDto })
  async listInteractions(@CurrentViewer() viewer: Viewer, @Query() query: TargetsQuery): Promise<InteractionStatesDto> {
    return { data: await this.interactions.states(viewer, query.targets) };
  }

  @Get('users/me/saved')
  @ApiOperation({
    summary: 'My saved posts, latest save first',
    description: 'Posts that were deleted or hidden since are passed over; pages are full all the same.',
  })
  @ApiOkResponse({ type: PostPageDto })
  listSaved(@CurrentViewer() viewer: Viewer, @Query() query: PageQuery): Promise<Page<PostCard>> {
    return this.interactions.saved(viewer, query);
  }

  @Get('users/me/liked')
  @ApiOperation({
    summary: 'The posts I like, latest vote first',
    description: 'Posts that were deleted or hidden since are passed over; pages are full all the same.',
  })
  @ApiOkResponse({ type: PostPageDto })
  listLiked(@CurrentViewer() viewer: Viewer, @Query() query: PageQuery): Promise<Page<PostCard>> {
    return this.interactions.liked(viewer, query);
  }

  @Get('users/me/followed-collections')
  @ApiOperation({
    summary: 'The collections I follow, latest follow first',
    description:
      'One that its owner made private is in the list without its content, so that you can stop following it.',
  })
  @ApiOkResponse({ type: FollowedCollectionPage })
  listFollowedCollections(
    @CurrentViewer() viewer: Viewer,
    @Query() query: PageQuery,
  ): Promise<Page<FollowedCollectionDto>> {
    return this.interactions.followedCollections(viewer, query);
  }
}
