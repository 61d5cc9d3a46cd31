import { Controller, Get, Query, VERSION_NEUTRAL } from '@nestjs/common';
import {
  ApiExcludeController,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { ObjectId } from 'mongodb';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { TokenScope } from '../platform/access/token-scope.js';
import type { Viewer } from '../platform/access/viewer.js';
import { Cached } from '../platform/cache/cached.decorator.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import type { TextResponse } from '../platform/http/text-response.js';
import { IgnoresQuery } from '../platform/http/validation/query.guard.js';
import { POST_RESOURCE } from '../posts/post-view.js';
import { CITATION_RESPONSE, CitationQuery } from './citation.dto.js';
import { OembedDto, OembedQuery } from './oembed.dto.js';
import { PostMetaDto } from './post-meta.dto.js';
import { SharingService } from './sharing.service.js';

const PostAddress = POST_RESOURCE.param();

/** Metadata of a post for other sites. */
@ApiTags('syndication')
@Controller()
@TokenScope('read')
export class SharingController {
  constructor(private readonly sharing: SharingService) {}

  @Get('posts/:idOrSlug/meta')
  @Access('optional')
  @Cached<TextResponse>({
    path: ({ params }) => {
      const post = POST_RESOURCE.canonicalPath(params['idOrSlug']);
      return post && `${post}/meta`;
    },
    tags: (_, { tags }) => tags,
  })
  @ApiOperation({
    summary: 'Get metadata of a post',
    description:
      'Open Graph, Twitter card and schema.org data (`ScholarlyArticle` for a research paper) for your page.',
  })
  @ApiOkResponse({ type: PostMetaDto })
  @ApiProblems('post_not_found')
  getPostMeta(@PostAddress id: ObjectId, @CurrentViewer() viewer: Viewer | null): Promise<TextResponse> {
    return this.sharing.meta(id, viewer);
  }

  @Get('posts/:idOrSlug/citation')
  @Access('optional')
  @Cached<TextResponse>({
    path: ({ params }) => POST_RESOURCE.canonicalPathBelow(params['idOrSlug'], '/citation'),
    query: { format: 'bibtex' },
    tags: (_, { tags }) => tags,
  })
  @ApiOperation({
    summary: 'Get a citation of a post',
    description:
      'A file for reference managers: author, title with subtitle, date of publication, site and canonical URL.',
  })
  @ApiOkResponse(CITATION_RESPONSE)
  @ApiProblems('post_not_found')
  getPostCitation(
    @PostAddress id: ObjectId,
    @Query() { format }: CitationQuery,
    @CurrentViewer() viewer: Viewer | null,
  ): Promise<TextResponse> {
    return this.sharing.citation(id, format, viewer);
  }

  @Get('oembed')
  @Access('public')
  @Cached<TextResponse>({
    query: { url: '', format: 'json', maxwidth: '', maxheight: '' },
    tags: (_, { tags }) => tags,
  })
  @ApiOperation({ summary: 'Get oEmbed data of a post', description: 'oEmbed 1.0, for every URL of the post.' })
  @ApiExtraModels(OembedDto)
  @ApiOkResponse({
    content: {
      'application/json': { schema: { $ref: getSchemaPath(OembedDto) } },
      'text/xml': {
        schema: { type: 'string', maxLength: 50_000 },
        example: '<?xml version="1.0" encoding="utf-8"?>\n<oembed><type>rich</type><version>1.0</version></oembed>',
      },
    },
  })
  @ApiProblems('post_not_found')
  getOembed(@Query() query: OembedQuery): Promise<TextResponse> {
    return this.sharing.oembed(query);
  }
}

/** A page of a post for crawlers, if the built-in site is off. */
@ApiExcludeController()
@Controller({ version: VERSION_NEUTRAL })
@Access('public')
@IgnoresQuery()
export class PostPageController {
  constructor(private readonly sharing: SharingService) {}

  @Get('p/:idOrSlug')
  @Cached<TextResponse>({
    path: ({ params }) => {
      const post = POST_RESOURCE.canonicalPath(params['idOrSlug']);
      return post && `/p/${post.slice(-24)}`;
    },
    tags: (_, { tags }) => tags,
  })
  getPostPage(@PostAddress id: ObjectId): Promise<TextResponse> {
    return this.sharing.page(id);
  }
}
