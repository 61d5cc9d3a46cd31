// The API of an OpenCanvas server for its unchanged client, mounted by OPENCANVAS_API. It owns no rows: each route maps a request to the
// service behind a route of /v1, and the result to the fields of OpenCanvas. No other module imports it.
import { type DynamicModule, Module } from '@nestjs/common';
import { RouterModule } from '@nestjs/core';
import { FeedModule } from '../feed/feed.module.js';
import { ArticlesController } from './articles.controller.js';
import { ArticlesService } from './articles.service.js';

@Module({
  imports: [FeedModule],
  controllers: [ArticlesController],
  providers: [ArticlesService],
})
export class OpenCanvasModule {
  /** @param path undefined: no routes */
  static at(path: string | undefined): DynamicModule[] {
    if (path === undefined) return [];
    return [{ module: OpenCanvasModule, imports: [RouterModule.register([{ path, module: OpenCanvasModule }])] }];
  }
}
