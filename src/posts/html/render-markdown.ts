import rehypeRaw from 'rehype-raw';
import rehypeSanitize from 'rehype-sanitize';
import rehypeStringify from 'rehype-stringify';
import remarkBreaks from 'remark-breaks';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import remarkRehype from 'remark-rehype';
import { unified } from 'unified';
import { ALLOW_LIST } from './allow-list.js';
import { finishTree } from './finish-tree.js';
import { remarkFormulas } from './math-syntax.js';
import { escapeSwallowing } from './raw-html.js';
import type { RenderedHtml } from './rendered-html.js';

const processor = unified()
  .use(remarkParse)
  .use(remarkGfm, { singleTilde: false })
  .use(remarkBreaks)
  .use(remarkFormulas)
  // ids get their prefix from the allow-list
  .use(remarkRehype, { allowDangerousHtml: true, clobberPrefix: '' })
  .use(escapeSwallowing)
  .use(rehypeRaw)
  .use(rehypeSanitize, ALLOW_LIST)
  .use(finishTree)
  // what is raw here are formulas: the allow-list lets nothing raw through
  .use(rehypeStringify, { allowDangerousHtml: true })
  .freeze();

/** Time and depth are not bounded here: it runs in the CPU pool, and what it throws is for `escapedText`. */
export function renderMarkdown(markdown: string): RenderedHtml {
  const file = processor.processSync(markdown);
  return { html: String(file), ...(file.data as Omit<RenderedHtml, 'html'>) };
}
