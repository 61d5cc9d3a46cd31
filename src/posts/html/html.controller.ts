import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { ObjectId } from 'mongodb';
import { Access, CurrentViewer } from '../../platform/access/access.decorator.js';
import { TokenScope } from '../../platform/access/token-scope.js';
import type { Viewer } from '../../platform/access/viewer.js';
import { Cached } from '../../platform/cache/cached.decorator.js';
import type { EncodedJson } from '../../platform/http/text-response.js';
import { ApiProblems } from '../../platform/http/openapi/api-problem.decorator.js';
import { RateLimit } from '../../platform/rate-limit/rate-limit.decorator.js';
import { POST_RESOURCE } from '../post-view.js';
import { HtmlDto } from './html.dto.js';
import { PostHtmlService } from './post-html.service.js';
import { RenderInput } from './html.dto.js';

const PostAddress = POST_RESOURCE.param();
const pathOf = (idOrSlug: string | undefined): string | null => POST_RESOURCE.canonicalPath(idOrSlug);

@TokenScope('read')
@ApiTags('posts')
@Controller()
export class HtmlController {
  constructor(private readonly html: PostHtmlService) {}

  @Get('posts/:idOrSlug/html')
  @Access('optional')
  @Cached<EncodedJson>({
    query: {},
    path: ({ params }) => {
      const post = pathOf(params['idOrSlug']);
      return post && `${post}/html`;
    },
    tags: ({ params }) => [`post:${pathOf(params['idOrSlug'])!.slice(-24)}`],
  })
  @ApiOperation({
    summary: 'Get a post as HTML',
    description:
      'Sanitized, with formulas, limited to the elements that docs/html.md lists. A text that takes more than a second of CPU is returned as escaped text.',
  })
  @ApiOkResponse({ type: HtmlDto })
  @ApiProblems('post_not_found')
  getPostHtml(@PostAddress id: ObjectId, @CurrentViewer() viewer: Viewer | null): Promise<EncodedJson> {
    return this.html.get(id, viewer);
  }

  @Post('render')
  @HttpCode(200)
  @RateLimit('previews')
  @ApiOperation({
    summary: 'Preview a text as HTML',
    description: 'Renders Markdown or HTML as a post would be. Nothing is stored.',
  })
  @ApiOkResponse({ type: HtmlDto })
  renderMarkdown(@Body() text: RenderInput, @CurrentViewer() viewer: Viewer): Promise<EncodedJson> {
    return this.html.previewText(text, viewer);
  }
}
