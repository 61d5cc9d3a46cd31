// The API of an OpenCanvas server for its unchanged client, mounted at OPENCANVAS_API. The module owns no rows: each route calls the
// service of a /v1 route and converts the result to the fields of OpenCanvas. No other module imports this one.
import { type DynamicModule, Module } from '@nestjs/common';
import { RouterModule } from '@nestjs/core';
import { AuthModule } from '../auth/auth.module.js';
import { IdentitiesModule } from '../auth/providers/identities.module.js';
import { CollectionsModule } from '../collections/collections.module.js';
import { CommentsModule } from '../comments/comments.module.js';
import { FeedModule } from '../feed/feed.module.js';
import { FollowsModule } from '../follows/follows.module.js';
import { InteractionsModule } from '../interactions/interactions.module.js';
import { MediaModule } from '../media/media.module.js';
import { CpuPoolModule } from '../platform/cpu-pool/cpu-pool.module.js';
import { PostsModule } from '../posts/posts.module.js';
import { SearchModule } from '../search/search.module.js';
import { UsersModule } from '../users/users.module.js';
import { ViewsModule } from '../views/views.module.js';
import { ArticlesController } from './articles.controller.js';
import { ArticlesService } from './articles.service.js';
import { OpenCanvasAuthController } from './auth.controller.js';
import { MarkdownEscaper } from './markdown-escaper.js';
import { OpenCanvasCollectionsController } from './collections.controller.js';
import { OpenCanvasCollectionsService } from './collections.service.js';
import { OpenCanvasCommentsController } from './comments.controller.js';
import { OpenCanvasFollowsController } from './follows.controller.js';
import { GoogleSignInService } from './google-sign-in.service.js';
import { OpenCanvasInteractionsController } from './interactions.controller.js';
import { OpenCanvasTokensService } from './opencanvas-tokens.service.js';
import { PeopleService } from './people.service.js';
import { PostIds } from './post-ids.js';
import { OpenCanvasPostsController } from './posts.controller.js';
import { OpenCanvasPostsService } from './posts.service.js';
import { OpenCanvasSearchController } from './search.controller.js';
import { OpenCanvasUploadsController } from './uploads.controller.js';
import { OpenCanvasUsersController } from './users.controller.js';

@Module({
  imports: [
    ...[AuthModule, CollectionsModule, CommentsModule, FeedModule, FollowsModule, IdentitiesModule],
    ...[InteractionsModule, MediaModule, PostsModule, SearchModule, UsersModule, ViewsModule],
    CpuPoolModule,
  ],
  controllers: [
    ...[ArticlesController, OpenCanvasPostsController, OpenCanvasInteractionsController, OpenCanvasCommentsController],
    ...[OpenCanvasCollectionsController, OpenCanvasSearchController, OpenCanvasAuthController],
    ...[OpenCanvasUsersController, OpenCanvasFollowsController, OpenCanvasUploadsController],
  ],
  providers: [
    ...[ArticlesService, MarkdownEscaper, OpenCanvasCollectionsService, OpenCanvasPostsService, PostIds],
    ...[GoogleSignInService, OpenCanvasTokensService, PeopleService],
  ],
})
export class OpenCanvasModule {
  /** @param path undefined disables the API */
  static at(path: string | undefined): DynamicModule[] {
    if (path === undefined) return [];
    return [{ module: OpenCanvasModule, imports: [RouterModule.register([{ path, module: OpenCanvasModule }])] }];
  }
}
