import { Injectable, Logger } from '@nestjs/common';
import { BoundedMap } from '../common/bounded.js';
import { CodedError } from '../common/errors.js';
import { CpuPool } from '../platform/cpu-pool/cpu-pool.js';
import type { CpuTask } from '../platform/cpu-pool/cpu-task.js';
import { MentionLookupService } from '../rendering/mention-lookup.service.js';
import type { People } from '../rendering/mentions.js';
import { hostsIn } from '../common/links.js';
import { MARKUP, MAX_HTML_LENGTH } from './comment-rules.js';
import type { RenderedComment } from './comment-markdown.js';

const RENDER: CpuTask<typeof import('./comments.task.js').run> = {
  name: 'comments: html',
  module: new URL('./comments.task.js', import.meta.url),
  limitMs: 1_000,
};

/** Writes wait for the CPU pool instead of failing, because a new process must first load its threads. */
const RENDER_FOR_WRITE = { ...RENDER, waitMs: 20_000 };

/** texts of at most 10,000 characters */
const MAX_VISIBLE = 500;

/** Renders the Markdown of comments to HTML and extracts mentions. */
@Injectable()
export class CommentRendererService {
  private readonly logger = new Logger('CommentHtml');
  /** what readers see, by text: each count of notifications reads the same comments again */
  private readonly visible = new BoundedMap<string, string>(MAX_VISIBLE);

  constructor(
    private readonly lookup: MentionLookupService,
    private readonly pool: CpuPool,
  ) {}

  /** Returns results in the order of the texts. @throws CodedError `overloaded` */
  async render(texts: string[]): Promise<RenderedComment[]> {
    return this.run(RENDER, texts, await this.lookup.find(texts), null);
  }

  /**
   * Returns the mentioned accounts and what readers see. Skips rendering if the text contains no account name and no markup.
   * @param isChecked whether `shown` is needed @throws as `render`
   */
  async read(text: string, author: string, isChecked: boolean): Promise<Omit<RenderedComment, 'html'>> {
    const people = await this.lookup.find([text]);
    if (people.size === 0 && !(isChecked && MARKUP.test(text))) return { mentions: [], shown: { text, hosts: [] } };
    const [rendered] = await this.run(RENDER_FOR_WRITE, [text], people, author);
    return rendered!;
  }

  /** Returns what readers see of the texts with markup, by text; nothing while no thread is free. */
  async visibleTexts(texts: readonly string[]): Promise<Map<string, string>> {
    const marked = [...new Set(texts)].filter((text) => MARKUP.test(text));
    const missing = marked.filter((text) => !this.visible.has(text));
    try {
      const rendered = missing.length === 0 ? [] : await this.run(RENDER, missing, new Map(), null);
      rendered.forEach(({ shown }, at) => this.visible.set(missing[at]!, shown.text));
    } catch (error) {
      // A list that matches the Markdown is better than none.
      if (!(error instanceof CodedError)) throw error;
    }
    return new Map(marked.flatMap((text) => (this.visible.has(text) ? [[text, this.visible.get(text)!]] : [])));
  }

  /** Renders texts. Returns a text that times out unrendered, without affecting the other texts of the batch. */
  private async run(
    task: typeof RENDER,
    texts: string[],
    people: People,
    author: string | null,
  ): Promise<RenderedComment[]> {
    try {
      const rendered = await this.pool.run(task, { texts, people }, author);
      // The cells of a table are quadratic in the length of its text.
      return rendered.map((one, at) =>
        one.html.length <= MAX_HTML_LENGTH ? one : { ...one, html: escaped(texts[at]!) },
      );
    } catch (error) {
      if (error instanceof CodedError) throw error;
      if (texts.length > 1)
        return (await Promise.all(texts.map((text) => this.run(task, [text], people, author)))).flat();
      this.logger.warn(`A comment is shown as plain text, because rendering failed: ${String(error)}`);
      return texts.map((text) => ({ html: escaped(text), mentions: [], shown: { text, hosts: hostsIn(text) } }));
    }
  }
}

function escaped(text: string): string {
  const safe = text.replace(/[&<>"]/g, (mark) => `&#${mark.charCodeAt(0)};`);
  return `<p>${safe.replace(/\r\n?|\n/g, '<br>\n')}</p>`;
}
