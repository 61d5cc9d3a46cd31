// The module of the CPU pool that makes Markdown safe for a client without a sanitizer; only its threads load it.
import { safeMarkdown } from './safe-markdown.js';

export function run(markdown: string): string {
  return safeMarkdown(markdown);
}
