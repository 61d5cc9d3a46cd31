import { Injectable } from '@nestjs/common';
import { CodedError } from '../common/errors.js';
import { AppConfig } from '../config/app-config.js';
import { CpuPool } from '../platform/cpu-pool/cpu-pool.js';
import type { CpuTask } from '../platform/cpu-pool/cpu-task.js';
import { escapeMarkdown } from './escape-markdown.js';

const SAFE_MARKDOWN: CpuTask<typeof import('./safe-markdown.task.js').run> = {
  name: 'opencanvas: markdown',
  module: new URL('./safe-markdown.task.js', import.meta.url),
  limitMs: 1_000,
};

/** A text without these has neither HTML nor a link. */
const MAY_NEED_ESCAPES = /<|\]\(|\]:|\]\[/;

/** The Markdown of posts as the client may render it: with raw HTML, without a sanitizer. */
@Injectable()
export class AuthorTexts {
  private readonly isRaw: boolean;

  constructor(
    private readonly pool: CpuPool,
    { opencanvas }: AppConfig,
  ) {
    this.isRaw = opencanvas.isRawHtml;
  }

  /** A text that takes too long is escaped as a whole. @throws CodedError `overloaded` */
  async safe(markdown: string): Promise<string> {
    if (this.isRaw || !MAY_NEED_ESCAPES.test(markdown)) return markdown;
    try {
      return await this.pool.run(SAFE_MARKDOWN, markdown, null);
    } catch (error) {
      if (error instanceof CodedError) throw error;
      return escapeMarkdown(markdown);
    }
  }
}
