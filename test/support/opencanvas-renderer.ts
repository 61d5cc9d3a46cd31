import type { Element, Nodes, Root } from 'hast';
import rehypeRaw from 'rehype-raw';
import rehypeStringify from 'rehype-stringify';
import remarkBreaks from 'remark-breaks';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import remarkRehype from 'remark-rehype';
import { unified } from 'unified';
import { formulas } from '../../src/opencanvas/safe-markdown.js';

/** Plugins of OpenCanvas's client. Raw HTML becomes elements, and nothing is sanitized. */
const client = unified()
  .use(remarkParse)
  .use(remarkGfm)
  .use(remarkBreaks)
  .use(formulas)
  .use(remarkRehype, { allowDangerousHtml: true })
  .use(rehypeRaw)
  .use(rehypeStringify)
  .freeze();

const treeOf = (markdown: string): Root => client.runSync(client.parse(markdown));

/** Returns the HTML that the client of OpenCanvas shows. */
export const renderAsOpenCanvas = (markdown: string): string => client.stringify(treeOf(markdown));

/** Returns the elements of that HTML. */
export function elementsAsOpenCanvas(markdown: string): Element[] {
  const found: Element[] = [];
  const walk = (node: Nodes): void => {
    if (node.type === 'element') found.push(node);
    if ('children' in node) node.children.forEach(walk);
  };
  walk(treeOf(markdown));
  return found;
}
