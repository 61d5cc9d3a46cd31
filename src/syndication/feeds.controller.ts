import { Controller, Get, Param } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { ObjectId } from 'mongodb';
import { COLLECTION_RESOURCE } from '../collections/collection-view.js';
import { Access } from '../platform/access/access.decorator.js';
import { Cached } from '../platform/cache/cached.decorator.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { headerRefs } from '../platform/http/openapi/document-headers.js';
import { TagParam } from '../platform/http/openapi/tag-param.decorator.js';
import type { TextResponse } from '../platform/http/text-response.js';
import { profilePath, USERNAME_PARAM } from '../users/username.js';
import { IgnoresQuery } from '../platform/http/validation/query.guard.js';
import { tagOf } from '../platform/http/validation/tags.decorator.js';
import { FEED_FORMATS, FEED_NAMES, type FeedFormat, type FeedName, ParamOf } from './feed-params.js';
import { FeedsService, MAX_ENTRIES } from './feeds.service.js';

const Format = ParamOf('format', FEED_FORMATS);
// One segment, because the router would match a line break across two segments.
const Name = ParamOf('feed', FEED_NAMES);
const CollectionAddress = COLLECTION_RESOURCE.param();

type Params = Record<string, string | undefined>;

/** @param path of the feed without its format; null: not a feed */
function CachedFeed(path: (params: Params) => string | null): MethodDecorator {
  return Cached<TextResponse>({
    path: ({ params }) => {
      const known = path(params);
      return known && `${known}.${params['format']}`;
    },
    tags: (_, { tags }) => tags,
  });
}

class JsonFeed {
  @ApiProperty({ enum: ['https://jsonfeed.org/version/1.1'], example: 'https://jsonfeed.org/version/1.1' })
  version!: string;

  @ApiProperty({ maxLength: 300, example: 'OpenCanvas: newest posts' })
  title!: string;

  @ApiProperty({ format: 'uri', maxLength: 2_048, example: 'https://example.org/' })
  home_page_url!: string;

  @ApiProperty({ format: 'uri', maxLength: 2_048, example: 'https://api.example.org/v1/feeds/latest.json' })
  feed_url!: string;

  @ApiProperty({ maxLength: 1_000, example: 'OpenCanvas: newest posts' })
  description!: string;

  @ApiProperty({ type: 'array', maxItems: MAX_ENTRIES, items: { type: 'object' }, example: [] })
  items!: object[];
}

const MAX_FEED = 10_000_000;
const XML = { type: 'string' as const, maxLength: MAX_FEED };
const FEED_RESPONSE = {
  content: {
    'application/atom+xml': {
      schema: XML,
      example:
        '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom"><id>tag:example.org,2026:feeds/latest</id></feed>',
    },
    'application/rss+xml': {
      schema: XML,
      example:
        '<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0"><channel><title>OpenCanvas</title></channel></rss>',
    },
    'application/feed+json': {
      schema: { $ref: getSchemaPath(JsonFeed) },
      example: {
        version: 'https://jsonfeed.org/version/1.1',
        title: 'OpenCanvas: newest posts',
        home_page_url: 'https://example.org/',
        feed_url: 'https://api.example.org/v1/feeds/latest.json',
        description: 'OpenCanvas: newest posts',
        items: [],
      },
    },
  },
  headers: headerRefs('Last-Modified'),
};
const IN_EACH_FORMAT = 'At most the newest 50, as Atom, RSS 2.0 or JSON Feed 1.1, with their texts as HTML.';

/** Posts for feed readers. */
@ApiTags('syndication')
@ApiExtraModels(JsonFeed)
@Controller()
@Access('public')
@IgnoresQuery()
export class FeedsController {
  constructor(private readonly feeds: FeedsService) {}

  @Get('feeds/:feed')
  @Cached<TextResponse>({ tags: (_, { tags }) => tags })
  @ApiOperation({ summary: 'Get the public feed (Atom, RSS, JSON)', description: IN_EACH_FORMAT })
  @ApiOkResponse(FEED_RESPONSE)
  getFeed(@Name name: FeedName): Promise<TextResponse> {
    return this.feeds.ofAll(name);
  }

  @Get('users/:username/feed.:format')
  @CachedFeed(({ username }) => {
    const profile = profilePath(username);
    return profile && `${profile}/feed`;
  })
  @ApiOperation({ summary: 'Get the feed of an author', description: IN_EACH_FORMAT })
  @ApiParam(USERNAME_PARAM)
  @ApiOkResponse(FEED_RESPONSE)
  @ApiProblems('user_not_found')
  getAuthorFeed(@Param('username') username: string, @Format format: FeedFormat): Promise<TextResponse> {
    return this.feeds.ofAuthor(username, format);
  }

  @Get('tags/:tag/feed.:format')
  @CachedFeed(({ tag }) => {
    const known = tagOf(tag);
    return known && `/v1/tags/${encodeURIComponent(known)}/feed`;
  })
  @ApiOperation({ summary: 'Get the feed of a tag', description: IN_EACH_FORMAT })
  @ApiOkResponse(FEED_RESPONSE)
  getTagFeed(@TagParam tag: string, @Format format: FeedFormat): Promise<TextResponse> {
    return this.feeds.ofTag(tag, format);
  }

  @Get('collections/:idOrSlug/feed.:format')
  @CachedFeed(({ idOrSlug }) => {
    const collection = COLLECTION_RESOURCE.canonicalPath(idOrSlug);
    return collection && `${collection}/feed`;
  })
  @ApiOperation({
    summary: 'Get the feed of a collection',
    description: `In the order of its owner, the last one first. ${IN_EACH_FORMAT}`,
  })
  @ApiOkResponse(FEED_RESPONSE)
  @ApiProblems('collection_not_found')
  getCollectionFeed(@CollectionAddress id: ObjectId, @Format format: FeedFormat): Promise<TextResponse> {
    return this.feeds.ofCollection(id, format);
  }
}
