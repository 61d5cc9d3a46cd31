import { Injectable } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { AppConfig } from '../config/app-config.js';
import type { Viewer } from '../platform/access/viewer.js';
import { JSON_CONTENT_TYPE } from '../platform/http/response-writer.js';
import { ResponseHeaders } from '../platform/http/response-headers.js';
import { TextResponse } from '../platform/http/text-response.js';
import { SITE_TAG } from '../platform/site-settings/site-settings.schema.js';
import { toPostCard } from '../posts/card/post-card.js';
import { PostsService } from '../posts/posts.service.js';
import { postNotFound } from '../posts/visibility.js';
import { CITATION_WRITERS, citationOf, type CitationFormat } from './citation.js';
import type { OembedQuery } from './oembed.dto.js';
import { oembedOf, oembedXml } from './oembed.js';
import { metaOf, type SharedPost } from './post-meta.js';
import { PAGE_HEADERS, postPage } from './post-page.js';
import { SiteAddresses } from './site-addresses.js';

/** Metadata for sites that link to a post. Each method throws `post_not_found` for an unreadable post. */
@Injectable()
export class SharingService {
  private readonly pageHeaders: Record<string, string>;

  constructor(
    private readonly posts: PostsService,
    private readonly addresses: SiteAddresses,
    headers: ResponseHeaders,
    { opencanvas }: AppConfig,
  ) {
    // At the root, the same URL also returns the post as JSON.
    this.pageHeaders = opencanvas.isAtRoot
      ? { ...PAGE_HEADERS, vary: headers.varyWith('Accept-Encoding, Accept')! }
      : PAGE_HEADERS;
  }

  async meta(id: ObjectId, viewer: Viewer | null): Promise<TextResponse> {
    const post = await this.get(id, viewer);
    return textAbout(post, JSON.stringify(metaOf(post, this.addresses)), { 'content-type': JSON_CONTENT_TYPE });
  }

  async citation(id: ObjectId, format: CitationFormat, viewer: Viewer | null): Promise<TextResponse> {
    const post = await this.get(id, viewer);
    const { contentType, extension, write } = CITATION_WRITERS[format];
    return textAbout(post, write(citationOf(post, this.addresses)), {
      'content-type': `${contentType}; charset=utf-8`,
      'content-disposition': `attachment; filename="${post.card.slug}.${extension}"`,
    });
  }

  async page(id: ObjectId): Promise<TextResponse> {
    const post = await this.get(id, null);
    return textAbout(post, postPage(post, this.addresses), this.pageHeaders);
  }

  async oembed({ url, format, maxwidth, maxheight }: OembedQuery): Promise<TextResponse> {
    const id = this.addresses.findPostId(url);
    if (id === undefined) throw postNotFound();
    const post = await this.get(ObjectId.createFromHexString(id), null);
    const pixels = (text: string | undefined): number | undefined => (text === undefined ? text : Number(text));
    const max = { width: pixels(maxwidth), height: pixels(maxheight) };
    const oembed = oembedOf(post, this.addresses, max);
    return format === 'xml'
      ? textAbout(post, oembedXml(oembed), { 'content-type': 'text/xml; charset=utf-8' })
      : textAbout(post, JSON.stringify(oembed), { 'content-type': JSON_CONTENT_TYPE });
  }

  private async get(id: ObjectId, viewer: Viewer | null): Promise<SharedPost> {
    const [row, siteName] = await Promise.all([this.posts.getVisible(id, viewer), this.addresses.siteName()]);
    return { card: toPostCard(row), canonicalUrl: row.canonicalUrl ?? null, isListed: row.isListed, siteName };
  }
}

function textAbout({ card }: SharedPost, text: string, headers: Record<string, string>): TextResponse {
  return new TextResponse(text, headers, [`post:${card.id}`, `user:${card.author.id}`, SITE_TAG]);
}
