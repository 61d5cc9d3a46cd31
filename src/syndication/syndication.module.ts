// Posts for other sites: feeds, the sitemap, and link previews. The module owns no rows. It reads public data from feed, posts, users and
// collections, and writes XML, HTML or JSON. No other module calls this one.
import { type DynamicModule, Module } from '@nestjs/common';
import { CollectionsModule } from '../collections/collections.module.js';
import { FeedModule } from '../feed/feed.module.js';
import { SiteSettingsModule } from '../platform/site-settings/site-settings.module.js';
import { PostsModule } from '../posts/posts.module.js';
import { UsersModule } from '../users/users.module.js';
import { FeedsController } from './feeds.controller.js';
import { FeedsService } from './feeds.service.js';
import { PostPageController, SharingController } from './sharing.controller.js';
import { SharingService } from './sharing.service.js';
import { SiteAddresses } from './site-addresses.js';
import { SitemapController } from './sitemap.controller.js';
import { SitemapService } from './sitemap.service.js';

@Module({
  imports: [CollectionsModule, FeedModule, PostsModule, SiteSettingsModule, UsersModule],
  controllers: [FeedsController, SharingController, SitemapController],
  providers: [SiteAddresses, FeedsService, SharingService, SitemapService],
})
export class SyndicationModule {
  /** @param hasSite whether the built-in site has a page for each post */
  static with(hasSite: boolean): DynamicModule {
    return { module: SyndicationModule, controllers: hasSite ? [] : [PostPageController] };
  }
}
