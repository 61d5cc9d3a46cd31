import { Body, Get, HttpCode, Post, Query } from '@nestjs/common';
import { Access } from '../platform/access/access.decorator.js';
import { Cached } from '../platform/cache/cached.decorator.js';
import { ArticlesQuery } from './articles.dto.js';
import { ArticlesService } from './articles.service.js';
import type { HandlerResult } from './envelope.js';
import { deprecationHeaders, OpenCanvasController, ReplacedBy } from './opencanvas-route.js';

const FEED = '/v1/feed';

@OpenCanvasController()
@Access('public')
export class ArticlesController {
  constructor(private readonly articles: ArticlesService) {}

  @Get()
  @ReplacedBy('/v1')
  getWelcome(): HandlerResult {
    return { message: 'Welcome to OpenCanvas API' };
  }

  @Get('articles')
  @ReplacedBy(FEED)
  @Cached({
    query: { limit: '10', cursor: '' },
    maybeEmpty: ['cursor'],
    tags: () => ['feed'],
    headers: () => deprecationHeaders(FEED),
  })
  listArticles(@Query() query: ArticlesQuery): Promise<Buffer> {
    return this.articles.list(query);
  }

  @Post('articles/anonymous-user')
  @ReplacedBy(FEED)
  @HttpCode(200)
  async listArticlesForVisitors(@Body() query: ArticlesQuery): Promise<HandlerResult> {
    return this.articles.listForVisitors(query);
  }
}
