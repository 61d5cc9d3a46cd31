import { Get, Query } from '@nestjs/common';
import { Access } from '../platform/access/access.decorator.js';
import { RateLimit } from '../platform/rate-limit/rate-limit.decorator.js';
import { SearchService } from '../search/search.service.js';
import type { HandlerResult } from './envelope.js';
import { FindQuery } from './opencanvas.dto.js';
import { OpenCanvasController, ReplacedBy } from './opencanvas-route.js';
import { toOpenCanvasCard } from './opencanvas-post.js';
import { toOpenCanvasUserResult } from './opencanvas-user-result.js';

/** number of results of each kind; the client requests one page */
const LIMIT = 50;

@OpenCanvasController()
@Access('public')
export class OpenCanvasSearchController {
  constructor(private readonly search: SearchService) {}

  @Get('search')
  @ReplacedBy('/v1/search')
  @RateLimit('searches')
  async find(@Query() { q, type }: FindQuery): Promise<HandlerResult> {
    const find = (kind: 'users' | 'posts') => this.search.search({ q, kind, sort: 'relevance', limit: LIMIT });
    const users = type === 'posts' ? undefined : (await find('users')).data.users.map(toOpenCanvasUserResult);
    const posts = type === 'users' ? undefined : (await find('posts')).data.posts.map(toOpenCanvasCard);
    const total = (users?.length ?? 0) + (posts?.length ?? 0);
    return {
      data: {
        ...{ page: 1, limit: LIMIT, total },
        ...(users && { users, usersTotal: users.length }),
        ...(posts && { posts, postsTotal: posts.length }),
      },
    };
  }
}
