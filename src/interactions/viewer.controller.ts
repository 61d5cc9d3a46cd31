import { Controller, Get, Header, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { FollowsService } from '../follows/follows.service.js';
import { SubscriptionsPort } from '../follows/subscriptions-port.js';
import { CurrentViewer } from '../platform/access/access.decorator.js';
import { TokenScope } from '../platform/access/token-scope.js';
import type { Viewer } from '../platform/access/viewer.js';
import { ViewerDto, ViewerQuery } from './dto/viewer.dto.js';
import { InteractionsService } from './interactions.service.js';

/** The viewer's own state for a page of posts, in one request. */
@ApiTags('interactions')
@Controller('viewer')
@TokenScope('read', 'interactions')
export class ViewerController {
  constructor(
    private readonly interactions: InteractionsService,
    private readonly follows: FollowsService,
    private readonly subscriptions: SubscriptionsPort,
  ) {}

  @Get()
  @Header('Cache-Control', 'private, no-cache')
  @ApiOperation({
    summary: 'Get my state for posts and accounts',
    description:
      'My votes and saves on up to 100 posts, and which of them I hide, watch or mute; my follows, bells, blocks and mutes of up to 100 accounts. One row per id, in the order of the ids, also for unknown ids.',
  })
  @ApiOkResponse({ type: ViewerDto })
  async getViewer(
    @CurrentViewer() viewer: Viewer,
    @Query() { posts = [], users = [] }: ViewerQuery,
  ): Promise<ViewerDto> {
    const [states, watches, relationships] = await Promise.all([
      this.interactions.states(viewer, posts),
      this.subscriptions.watchLevels(viewer, posts),
      this.follows.relationships(viewer, users),
    ]);
    return {
      posts: states.map(({ targetId: postId, vote, isSaved, isHidden }) => {
        return { postId, vote, isSaved, isHidden, watch: watches.get(postId) ?? null };
      }),
      users: relationships.map(({ id, ...relationship }) => ({ userId: id, ...relationship })),
    };
  }
}
