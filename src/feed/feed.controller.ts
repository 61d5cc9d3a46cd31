import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Cached } from '../platform/cache/cached.decorator.js';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { TokenScope } from '../platform/access/token-scope.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import type { SerializedPage } from '../platform/http/pagination/serialized-page.js';
import { PostPageDto } from '../posts/card/post-card.dto.js';
import type { Viewer } from '../platform/access/viewer.js';
import { isListSort } from '../ranking/feed-list.js';
import { FEED_QUERY_DEFAULTS, FeedQuery } from './dto/feed.query.js';
import { FollowingQuery } from './dto/following.query.js';
import { FeedService } from './feed.service.js';

/** Returns the URL of the Atom feed with the same posts, if there is one. */
function atomFeedOf({ sort = 'hot', window = 'all', tag, type, author }: Partial<FeedQuery>): string | undefined {
  if (isListSort(sort) || type !== undefined || window !== 'all' || (tag !== undefined && author !== undefined))
    return undefined;
  if (author !== undefined) return `/v1/users/${author.toLowerCase()}/feed.atom`;
  return tag === undefined ? `/v1/feeds/${sort}.atom` : `/v1/tags/${encodeURIComponent(tag.toLowerCase())}/feed.atom`;
}

@ApiTags('feed')
@Controller('feed')
@TokenScope('read')
export class FeedController {
  constructor(private readonly feed: FeedService) {}

  @Get()
  @Access('optional')
  @Cached({
    query: FEED_QUERY_DEFAULTS,
    lowerCase: ['tag', 'author'],
    tags: () => ['feed'],
    isFiltered: true,
    feed: ({ query }) => atomFeedOf(query as Partial<FeedQuery>),
  })
  @ApiOperation({
    summary: 'List the feed',
    description:
      'Public posts by score (`hot`), by time (`latest`), by likes (`top`), by likes an hour (`rising`) or by comments (`discussed`), filtered by tag, type or author. A signed-in reader gets none that the reader blocks, mutes, hides or filters.',
  })
  @ApiOkResponse({ type: PostPageDto })
  @ApiProblems('cursor_expired', 'user_not_found')
  listFeed(@CurrentViewer() viewer: Viewer | null, @Query() query: FeedQuery): Promise<SerializedPage> {
    return this.feed.list(query, viewer);
  }

  @Get('following')
  @Access('required')
  @ApiOperation({
    summary: 'List posts of accounts and tags I follow',
    description:
      'Newest first; a post of both once. With more than 200 followed accounts, a page that must be merged counts as one read for every 200 of them.',
  })
  @ApiOkResponse({ type: PostPageDto })
  listFollowingFeed(@CurrentViewer() viewer: Viewer, @Query() query: FollowingQuery): Promise<SerializedPage> {
    return this.feed.listFollowing(viewer, query);
  }
}
