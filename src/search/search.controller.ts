import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { TokenScope } from '../platform/access/token-scope.js';
import type { Viewer } from '../platform/access/viewer.js';
import { Cached } from '../platform/cache/cached.decorator.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { RateLimit } from '../platform/rate-limit/rate-limit.decorator.js';
import { SEARCH_QUERY_DEFAULTS, SearchQuery, SUGGEST_QUERY_DEFAULTS, SuggestQuery } from './dto/search.query.js';
import { searchTags, suggestionTags } from './search-cache.js';
import { SearchPageDto, SuggestionsDto } from './search.dto.js';
import { SearchService } from './search.service.js';

@ApiTags('search')
@Controller('search')
@TokenScope('read')
export class SearchController {
  constructor(private readonly search: SearchService) {}

  @Get()
  @Access('optional')
  @RateLimit('searches')
  @Cached<SearchPageDto>({
    query: SEARCH_QUERY_DEFAULTS,
    lowerCase: ['q', 'tag', 'author'],
    tags: (_, body) => searchTags(body),
    isFiltered: true,
  })
  @ApiOperation({
    summary: 'Search posts, people, tags and comments',
    description:
      'Words of any script, ignoring case and accents; one typo is forgiven. `type`, `tag`, `author` and `sort` apply to posts; tags have one page. Comments need `kind=comments` and are on public posts. A signed-in reader gets no posts, people and comments that the reader blocks, mutes, hides or filters.',
  })
  @ApiOkResponse({ type: SearchPageDto })
  @ApiProblems('not_found', 'user_not_found', 'search_not_ready')
  searchAll(@CurrentViewer() viewer: Viewer | null, @Query() query: SearchQuery): Promise<SearchPageDto> {
    return this.search.search(query, viewer);
  }

  @Get('suggest')
  @Access('public')
  @Cached<SuggestionsDto>({
    query: SUGGEST_QUERY_DEFAULTS,
    lowerCase: ['q'],
    tags: (_, body) => suggestionTags(body),
  })
  @ApiOperation({
    summary: 'Suggest words',
    description: 'People by name, most followed first; tags and words, most used first.',
  })
  @ApiOkResponse({ type: SuggestionsDto })
  @ApiProblems('not_found', 'search_not_ready')
  suggestWords(@Query() query: SuggestQuery): Promise<SuggestionsDto> {
    return this.search.suggest(query);
  }
}
