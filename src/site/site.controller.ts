import { Controller, UseFilters, VERSION_NEUTRAL } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { PageRequest } from '../../web/src/contract.js';
import { Access } from '../platform/access/access.decorator.js';
import { IgnoresQuery } from '../platform/http/validation/query.guard.js';
import type { TextResponse } from '../platform/http/text-response.js';
import { RateLimit } from '../platform/rate-limit/rate-limit.decorator.js';
import { HOME_PATH } from './home-page.js';
import { Page, Requested } from './page.decorator.js';
import { PageMovedFilter } from './page-moved.filter.js';
import { SitePagesService } from './site-pages.service.js';

/** The public pages. They are the same for all readers. */
@ApiExcludeController()
@Controller({ version: VERSION_NEUTRAL })
@Access('public')
@IgnoresQuery()
@UseFilters(PageMovedFilter)
export class SiteController {
  constructor(private readonly pages: SitePagesService) {}

  @Page(HOME_PATH, ['sort', 'tag', 'type', 'cursor'], { vary: 'Accept' })
  getHotPage(@Requested() request: PageRequest): Promise<TextResponse> {
    return this.pages.render('hot', request);
  }

  @Page('latest', ['tag', 'type', 'cursor'])
  getLatestPage(@Requested() request: PageRequest): Promise<TextResponse> {
    return this.pages.render('latest', request);
  }

  @Page('top', ['window', 'tag', 'type', 'cursor'])
  getTopPage(@Requested() request: PageRequest): Promise<TextResponse> {
    return this.pages.render('top', request);
  }

  @Page('tags', ['sort', 'cursor'])
  getTagsPage(@Requested() request: PageRequest): Promise<TextResponse> {
    return this.pages.render('tags', request);
  }

  @Page('writers', ['window', 'cursor'])
  getWritersPage(@Requested() request: PageRequest): Promise<TextResponse> {
    return this.pages.render('writers', request);
  }

  @Page('tags/:tag', ['sort', 'window', 'type', 'cursor'])
  getTagPage(@Requested() request: PageRequest): Promise<TextResponse> {
    return this.pages.render('tag', request);
  }

  @Page('p/:slug', ['replies', 'comments'])
  getPostPage(@Requested() request: PageRequest): Promise<TextResponse> {
    return this.pages.render('post', request);
  }

  @Page('u/:username', ['tab', 'cursor'])
  getProfilePage(@Requested() request: PageRequest): Promise<TextResponse> {
    return this.pages.render('profile', request);
  }

  @Page('collections/:slug', ['cursor'])
  getCollectionPage(@Requested() request: PageRequest): Promise<TextResponse> {
    return this.pages.render('collection', request);
  }

  @RateLimit('searches')
  @Page('search', ['q', 'kind', 'type', 'cursor'])
  getSearchPage(@Requested() request: PageRequest): Promise<TextResponse> {
    return this.pages.render('search', request);
  }
}
