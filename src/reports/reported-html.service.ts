import { Injectable } from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import { CommentRendererService } from '../comments/comment-renderer.service.js';
import { ImageLookupService } from '../media/image-lookup.service.js';
import { PostRendererService } from '../rendering/post-renderer.service.js';
import type { RenderedHtml } from '../rendering/rendered-html.js';
import type { ReportTargetKind } from './report-rules.js';

/** Renders reported Markdown as its readers see it. */
@Injectable()
export class ReportedHtmlService {
  constructor(
    private readonly images: ImageLookupService,
    private readonly posts: PostRendererService,
    private readonly comments: CommentRendererService,
  ) {}

  /** Returns sanitized HTML, or null for the kinds with plain texts. @throws CodedError `overloaded` */
  async render(kind: ReportTargetKind, ownerId: ObjectId, text: string): Promise<string | null> {
    if (kind === 'comment') return (await this.comments.render([text]))[0]!.html;
    if (kind !== 'post') return null;
    const images = await this.images.find(ownerId, [text]);
    const { html } = await this.posts.render(text, null, images);
    return (JSON.parse(html.json) as RenderedHtml).html;
  }
}
