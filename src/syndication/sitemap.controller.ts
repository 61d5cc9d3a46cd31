import { Controller, Get, Param, VERSION_NEUTRAL } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { EXAMPLE } from '../common/examples.js';
import { Access } from '../platform/access/access.decorator.js';
import { Cached } from '../platform/cache/cached.decorator.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import type { TextResponse } from '../platform/http/text-response.js';
import { IgnoresQuery } from '../platform/http/validation/query.guard.js';
import { schemaPattern } from '../platform/http/validation/text-rules.js';
import { SITEMAP_FILE, SitemapService } from './sitemap.service.js';

/** cache lifetime of pages that read every post */
const HOUR_MS = 3_600_000;
const byHour = { freshMs: () => HOUR_MS, tags: () => [] };

const FILE_PARAM = {
  name: 'file',
  description: '`posts-<yyyy-mm>-<n>.xml`, `people-…` or `collections-…`, as the index names them',
  schema: {
    type: 'string' as const,
    maxLength: 40,
    pattern: schemaPattern(SITEMAP_FILE),
    example: `posts-${EXAMPLE.month}-1.xml`,
  },
};

function xml(example: string) {
  return { content: { 'application/xml': { schema: { type: 'string' as const, maxLength: 50_000_000 }, example } } };
}

/** Files for search engines. */
@ApiTags('syndication')
@Controller({ version: VERSION_NEUTRAL })
@Access('public')
@IgnoresQuery()
export class SitemapController {
  constructor(private readonly sitemap: SitemapService) {}

  @Get('robots.txt')
  @Cached<TextResponse>({ tags: () => [] })
  @ApiOperation({ summary: 'Get robots.txt', description: 'Allows all crawlers and refers to the sitemap.' })
  @ApiOkResponse({
    content: {
      'text/plain': {
        schema: { type: 'string', maxLength: 1_000 },
        example: 'User-agent: *\nDisallow:\n\nSitemap: https://api.example.org/sitemap.xml\n',
      },
    },
  })
  getRobots(): TextResponse {
    return this.sitemap.robots();
  }

  @Get('sitemap.xml')
  @Cached<TextResponse>(byHour)
  @ApiOperation({ summary: 'Get the sitemap index', description: 'Up to an hour old.' })
  @ApiOkResponse(xml('<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></sitemapindex>'))
  getSitemapIndex(): Promise<TextResponse> {
    return this.sitemap.index();
  }

  @Get('sitemaps/tags.xml')
  @Cached<TextResponse>(byHour)
  @ApiOperation({
    summary: 'Get the sitemap of tags',
    description: 'The 25,000 most used tags at most, up to an hour old. Only with a site.',
  })
  @ApiOkResponse(xml('<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></urlset>'))
  @ApiProblems('not_found')
  getTagSitemap(): Promise<TextResponse> {
    return this.sitemap.tags();
  }

  @Get('sitemaps/:file')
  @Cached<TextResponse>({ tags: (_, { tags }) => tags })
  @ApiOperation({
    summary: 'Get a sitemap file',
    description:
      'At most 25,000 entries: posts by the month of publication, accounts and collections by the month of creation.',
  })
  @ApiParam(FILE_PARAM)
  @ApiOkResponse(xml('<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></urlset>'))
  @ApiProblems('invalid_input', 'not_found')
  getSitemapFile(@Param('file') file: string): Promise<TextResponse> {
    return this.sitemap.file(file);
  }
}
