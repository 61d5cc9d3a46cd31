// The API of an OpenCanvas server for its unchanged client, mounted by OPENCANVAS_API. It owns no rows: each route maps a request to the
// service behind a route of /v1, and the result to the fields of OpenCanvas. No other module imports it.
import { type DynamicModule, Module } from '@nestjs/common';
import { RouterModule } from '@nestjs/core';
import { CollectionsModule } from '../collections/collections.module.js';
import { CommentsModule } from '../comments/comments.module.js';
import { FeedModule } from '../feed/feed.module.js';
import { InteractionsModule } from '../interactions/interactions.module.js';
import { PostsModule } from '../posts/posts.module.js';
import { SearchModule } from '../search/search.module.js';
import { ViewsModule } from '../views/views.module.js';
import { ArticlesController } from './articles.controller.js';
import { ArticlesService } from './articles.service.js';
import { AuthorTexts } from './author-texts.js';
import { OpenCanvasCollectionsController } from './collections.controller.js';
import { OpenCanvasCollections } from './collections.service.js';
import { OpenCanvasCommentsController } from './comments.controller.js';
import { OpenCanvasInteractionsController } from './interactions.controller.js';
import { PostIds } from './post-ids.js';
import { OpenCanvasPostsController } from './posts.controller.js';
import { OpenCanvasPosts } from './posts.service.js';
import { OpenCanvasSearchController } from './search.controller.js';

@Module({
  imports: [
    ...[CollectionsModule, CommentsModule, FeedModule, InteractionsModule, PostsModule, SearchModule, ViewsModule],
  ],
  controllers: [
    ...[ArticlesController, OpenCanvasPostsController, OpenCanvasInteractionsController, OpenCanvasCommentsController],
    ...[OpenCanvasCollectionsController, OpenCanvasSearchController],
  ],
  providers: [ArticlesService, AuthorTexts, OpenCanvasCollections, OpenCanvasPosts, PostIds],
})
export class OpenCanvasModule {
  /** @param path undefined: no routes */
  static at(path: string | undefined): DynamicModule[] {
    if (path === undefined) return [];
    return [{ module: OpenCanvasModule, imports: [RouterModule.register([{ path, module: OpenCanvasModule }])] }];
  }
}
