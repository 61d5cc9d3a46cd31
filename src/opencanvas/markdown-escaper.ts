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

/** A Markdown text without these characters contains neither HTML nor links. */
const MAY_NEED_ESCAPES = /<|\]\(|\]:|\]\[/;

/** Escapes the Markdown of posts for the client, which renders raw HTML without a sanitizer. */
@Injectable()
export class MarkdownEscaper {
  private readonly isRaw: boolean;

  constructor(
    private readonly pool: CpuPool,
    { opencanvas }: AppConfig,
  ) {
    this.isRaw = opencanvas.isRawHtml;
  }

  /** Returns Markdown that is safe to render. Escapes the whole text if parsing times out. @throws CodedError `overloaded` */
  async escape(markdown: string): Promise<string> {
    if (this.isRaw || !MAY_NEED_ESCAPES.test(markdown)) return markdown;
    try {
      return await this.pool.run(SAFE_MARKDOWN, markdown, null);
    } catch (error) {
      if (error instanceof CodedError) throw error;
      return escapeMarkdown(markdown);
    }
  }
}
