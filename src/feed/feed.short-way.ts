import { Injectable } from '@nestjs/common';
import { ShortWay } from '../platform/cache/short-way.js';
import { DEFAULT_LIMIT } from '../platform/http/page.query.js';
import { FeedController } from './feed.controller.js';
import { FeedService } from './feed.service.js';

/** Pages of the unfiltered hot feed, which is what nearly everybody reads. */
@Injectable()
export class FeedShortWay {
  constructor(shortWay: ShortWay, feed: FeedService) {
    shortWay.add({
      controller: FeedController,
      method: 'listFeed',
      pattern: '/v1/feed',
      match: (path, { limit, cursor }) => {
        if (path !== '/v1/feed') return null;
        const query = { sort: 'hot', window: 'all', limit: Number(limit ?? DEFAULT_LIMIT), cursor } as const;
        return { params: {}, query: { limit, cursor }, load: () => feed.list(query) };
      },
    });
  }
}
