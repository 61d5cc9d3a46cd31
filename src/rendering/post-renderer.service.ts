import { Injectable, Logger } from '@nestjs/common';
import { CodedError } from '../common/errors.js';
import { filesUrl } from '../common/own-files.js';
import { CpuPool } from '../platform/cpu-pool/cpu-pool.js';
import { type CpuTask, TaskLimitExceeded } from '../platform/cpu-pool/cpu-task.js';
import { MentionLookupService } from './mention-lookup.service.js';
import type { DroppedElement } from './dropped-element.js';
import type { OwnImages } from './post-process.js';
import { encodePost, type EncodedPost, escapedPost } from './rendered-html.js';

const RENDER: CpuTask<typeof import('./render.task.js').run> = {
  name: 'posts: html',
  module: new URL('./render.task.js', import.meta.url),
  limitMs: 1_000,
};

/** A write waits longer before a rejection, because a new process has to load its threads. */
const RENDER_FOR_WRITE = { ...RENDER, waitMs: 20_000 };

const CONVERT: CpuTask<typeof import('./html-to-markdown.task.js').run> = {
  name: 'posts: html input',
  module: new URL('./html-to-markdown.task.js', import.meta.url),
  // A conversion renders its result to compare the texts.
  limitMs: 3_000,
  waitMs: 20_000,
};

/** Derives HTML, preview, words, mentions and the searchable text from Markdown. */
@Injectable()
export class PostRendererService {
  private readonly logger = new Logger('PostRenderer');

  constructor(
    private readonly lookup: MentionLookupService,
    private readonly pool: CpuPool,
  ) {}

  /** Renders HTML that is stored with the text. @param author of the text; null: a reader waits for the result. @throws as `render` */
  renderForWrite(markdown: string, author: string | null, images?: OwnImages): Promise<EncodedPost> {
    return this.run(RENDER_FOR_WRITE, markdown, author, images);
  }

  /** Renders a text. Returns the escaped source if rendering takes too long. @throws CodedError `overloaded` */
  render(markdown: string, author: string | null, images?: OwnImages): Promise<EncodedPost> {
    return this.run(RENDER, markdown, author, images);
  }

  /** Converts HTML of an author to Markdown. Returns null for HTML that is too deep, or takes too long. @throws CodedError `overloaded` */
  async toMarkdown(html: string, author: string): Promise<{ markdown: string; dropped: DroppedElement[] } | null> {
    try {
      return await this.pool.run(CONVERT, { html }, author);
    } catch (error) {
      if (error instanceof TaskLimitExceeded) return null;
      throw error;
    }
  }

  private async run(
    task: typeof RENDER,
    markdown: string,
    author: string | null,
    images: OwnImages = new Map(),
  ): Promise<EncodedPost> {
    const people = await this.lookup.find([markdown]);
    try {
      return await this.pool.run(task, { markdown, images, people, filesUrl: filesUrl() }, author);
    } catch (error) {
      if (error instanceof CodedError) throw error;
      if (!(error instanceof TaskLimitExceeded))
        this.logger.warn(`A text is shown as plain text, because rendering failed: ${String(error)}`);
      return encodePost(escapedPost(markdown));
    }
  }
}
