import type { Element, Parents, Root } from 'hast';
import rehypeSanitize, { type Options } from 'rehype-sanitize';
import rehypeStringify from 'rehype-stringify';
import remarkRehype from 'remark-rehype';
import { markdown as syntax } from '../common/markdown.js';

/** Less than for posts: no images, formulas, ids or raw HTML, because one page shows many comments. docs/html.md lists it. */
export const COMMENT_TAGS = 'a blockquote br code del em hr li ol p pre strong table tbody td th thead tr ul'.split(
  ' ',
);

const ALLOW_LIST: Options = {
  tagNames: COMMENT_TAGS,
  attributes: { a: ['href'], code: [['className', /^language-[\w+#.-]{1,40}$/]], ol: ['start'] },
  protocols: { href: ['http', 'https', 'mailto'] },
};

const processor = syntax()
  .use(remarkRehype, { allowDangerousHtml: true })
  .use(() => keepText)
  .use(rehypeSanitize, ALLOW_LIST)
  .use(() => markLinks)
  .use(rehypeStringify)
  .freeze();

/** Does not bound time and depth: it runs in the CPU pool. */
export function renderComment(markdown: string): string {
  return String(processor.processSync(markdown));
}

/** Keeps text that the allow-list would drop: HTML becomes text, an image a link, a heading a strong paragraph. */
function keepText(parent: Root | Element): void {
  parent.children = (parent.children as Element['children']).map((node): Element['children'][number] => {
    if ((node.type as string) === 'raw') {
      const text = { type: 'text' as const, value: (node as unknown as { value: string }).value };
      return parent.type === 'root' ? elementOf('p', [text]) : text;
    }
    if (node.type !== 'element') return node;
    keepText(node);
    const { tagName, properties, children } = node;
    if (/^h[1-6]$/.test(tagName)) return elementOf('p', [elementOf('strong', children)]);
    if (tagName !== 'img') return node;
    const value = String(properties['alt'] || properties['src']);
    return elementOf('a', [{ type: 'text', value }], { href: properties['src'] });
  });
}

function elementOf(tagName: string, children: Element['children'], properties: Element['properties'] = {}): Element {
  return { type: 'element', tagName, properties, children };
}

function markLinks(parent: Parents): void {
  for (const node of parent.children) {
    if (node.type !== 'element') continue;
    if (node.tagName === 'a' && node.properties['href'] !== undefined)
      node.properties['rel'] = ['ugc', 'nofollow', 'noopener'];
    markLinks(node);
  }
}
