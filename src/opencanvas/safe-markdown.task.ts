// The CPU pool task that escapes Markdown for a client without a sanitizer. Only worker threads load it.
import { safeMarkdown } from './safe-markdown.js';

export function run(markdown: string): string {
  return safeMarkdown(markdown);
}
