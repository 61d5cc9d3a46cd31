import type { Element, Parents, Root } from 'hast';
import rehypeSanitize, { type Options } from 'rehype-sanitize';
import rehypeStringify from 'rehype-stringify';
import remarkRehype from 'remark-rehype';
import { markdown as syntax } from '../common/markdown.js';
import { linkMentions, type People } from '../rendering/mentions.js';
import { type Shown, shownIn } from '../rendering/shown-text.js';

/** Excludes images, formulas, ids and raw HTML, which posts may contain, because a page has many comments. See docs/html.md. */
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
  .use(() => addMentions)
  .use(() => markLinks)
  .use(() => collectShown)
  .use(rehypeStringify)
  .freeze();

/** @field mentions the ids of the accounts */
export type RenderedComment = { html: string; mentions: string[]; shown: Shown };

/** Has no limit of time and depth. Call it in the CPU pool. */
export function renderComment(markdown: string, people: People = new Map()): RenderedComment {
  const file = processor.processSync({ value: markdown, data: { people } });
  const { mentions, shown } = file.data as Pick<RenderedComment, 'mentions' | 'shown'>;
  return { html: String(file), mentions, shown };
}

function addMentions(tree: Root, { data }: { data: Record<string, unknown> }): void {
  data['mentions'] = linkMentions(tree, data['people'] as People);
}

function collectShown(tree: Root, { data }: { data: Record<string, unknown> }): void {
  data['shown'] = shownIn(tree);
}

/** Preserves text that the allow-list would drop: HTML becomes text, an image a link, a heading a strong paragraph. */
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
