import { Injectable } from '@nestjs/common';
import { CodedError } from '../common/errors.js';
import { NOT_BLANK } from '../platform/http/validation/text-rules.js';
import type { DroppedElement } from '../rendering/dropped-element.js';
import { PostRendererService } from '../rendering/post-renderer.service.js';
import type { WrittenText } from './content-format.js';
import { MAX_CONTENT } from './post-rules.js';

/** Converts texts that clients write as HTML. Only Markdown is stored. */
@Injectable()
export class ContentFormatsService {
  constructor(private readonly renderer: PostRendererService) {}

  /**
   * Returns the input with its text as Markdown, and the elements that HTML lost.
   * @param author hex id
   * @throws CodedError `invalid_input` for HTML that is too deep, or too long as Markdown; `overloaded`
   */
  async toMarkdown<Input extends WrittenText>(
    { contentFormat = 'markdown', ...input }: Input,
    author: string,
    { mayBeBlank = false } = {},
  ): Promise<{ input: Omit<Input, 'contentFormat'>; dropped?: DroppedElement[] }> {
    const { content } = input;
    if (contentFormat === 'markdown' || content === undefined) return { input };
    const converted = await this.renderer.toMarkdown(content, author);
    if (converted === null) throw invalidContent('is nested too deeply, or has too many elements');
    const { markdown, dropped } = converted;
    if (Array.from(markdown).length > MAX_CONTENT)
      throw invalidContent(`is longer than ${MAX_CONTENT} characters as Markdown`);
    if (!mayBeBlank && !NOT_BLANK.test(markdown)) throw invalidContent('has no text');
    return { input: { ...input, content: markdown }, dropped };
  }
}

function invalidContent(message: string): CodedError {
  return new CodedError('invalid_input', `content ${message}.`, { fields: [{ field: 'content', message }] });
}
