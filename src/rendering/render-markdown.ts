import rehypeRaw from 'rehype-raw';
import rehypeSanitize from 'rehype-sanitize';
import rehypeStringify from 'rehype-stringify';
import remarkRehype from 'remark-rehype';
import { markdown as syntax } from '../common/markdown.js';
import { ALLOW_LIST } from './allow-list.js';
import { feedFormOf, toFeedTree } from './feed-form.js';
import type { People } from './mentions.js';
import { postProcess, type Found, type OwnImages } from './post-process.js';
import { remarkFormulas } from './math-syntax.js';
import { escapeDisallowedHtml } from './raw-html.js';
import type { RenderedHtml, RenderedPost } from './rendered-html.js';

const processor = syntax()
  .use(remarkFormulas)
  // The allow-list adds the prefix of ids.
  .use(remarkRehype, { allowDangerousHtml: true, clobberPrefix: '' })
  .use(escapeDisallowedHtml)
  .use(rehypeRaw)
  .use(rehypeSanitize, ALLOW_LIST)
  .use(postProcess)
  // Raw nodes are formulas here, because the allow-list removes all raw HTML.
  .use(rehypeStringify, { allowDangerousHtml: true })
  .freeze();

/** Renders without limits of time and depth. The CPU pool has these limits, and `escapedPost` replaces a failed result. */
export function renderPost(markdown: string, images: OwnImages = new Map(), people: People = new Map()): RenderedPost {
  const file = processor.processSync({ value: markdown, data: { images, people } });
  const { tree, toc, hasMath, words, ...rest } = file.data['found'] as Found;
  toFeedTree(tree);
  const feed = feedFormOf(processor.stringify(tree));
  return { html: { html: String(file), toc, hasMath, words }, feed, ...rest, isPlain: false };
}

export function renderMarkdown(markdown: string, images?: OwnImages): RenderedHtml {
  return renderPost(markdown, images).html;
}
