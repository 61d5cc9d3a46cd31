import type { Element, ElementContent, Root, RootContent } from 'hast';
import { defaultHandlers, type Handle, type State, toMdast } from 'hast-util-to-mdast';
import type { Nodes as MarkdownNode, Parents as MarkdownParents, Root as MarkdownRoot } from 'mdast';
import { mathToMarkdown } from 'mdast-util-math';
import rehypeStringify from 'rehype-stringify';
import remarkGfm from 'remark-gfm';
import remarkStringify, { type Options as WriteOptions } from 'remark-stringify';
import { unified } from 'unified';
import type { DroppedElement } from './dropped-element.js';
import { parseHtml } from './parse-html.js';
import { type Found, postProcess } from './post-process.js';
import { renderPost } from './render-markdown.js';
import { ELEMENTS, isBlock, textOf } from './visible-text.js';

/** HTML on lines of its own. Unlike `html`, it never joins a paragraph. */
type HtmlBlock = { type: 'htmlBlock'; value: string };

const writer = unified().use(rehypeStringify).freeze();

/** Writes HTML on one line, because a blank line ends HTML in Markdown, and a bar ends a cell. */
function htmlOf(...children: RootContent[]): string {
  const html = writer.stringify({ type: 'root', children });
  return html.replaceAll('\n', '&#10;').replaceAll('|', '&#124;');
}

function htmlBlock(value: string): MarkdownNode {
  return { type: 'htmlBlock', value } satisfies HtmlBlock as unknown as MarkdownNode;
}

const asBlock: Handle = (_, node) => htmlBlock(htmlOf(node));

function tagsOf(node: Element): [start: string, end: string] {
  const end = `</${node.tagName}>`;
  const html = htmlOf({ ...node, children: [] });
  return html.endsWith(end) ? [html.slice(0, -end.length), end] : [html, ''];
}

/** Keeps the tags, and writes their content as Markdown. */
const asInline: Handle = (state, node) => {
  const [start, end] = tagsOf(node);
  const tags = [start, end].map((value): MarkdownNode => ({ type: 'html', value }));
  return end === '' ? tags[0] : [tags[0]!, ...state.all(node), tags[1]!];
};

function between(state: State, node: Element, lead: ElementContent[] = []): MarkdownNode[] {
  const [start, end] = tagsOf(node);
  const rest = { ...node, children: node.children.filter((child) => !lead.includes(child)) };
  return [htmlBlock(start + htmlOf(...lead)), ...state.toFlow(state.all(rest)), htmlBlock(end)];
}

const isElement =
  (...names: string[]) =>
  (node: ElementContent): node is Element =>
    node.type === 'element' && names.includes(node.tagName);
const has = (node: Element, test: (node: Element) => boolean): boolean =>
  node.children.some((child) => child.type === 'element' && (test(child) || has(child, test)));
const hasAny = ({ properties }: Element, ...names: string[]): boolean =>
  names.some((name) => properties[name] !== undefined);

/** Whether Markdown can write a table: a row of headings, and cells of one line. */
function isSimpleTable(table: Element): boolean {
  const rows: Element[] = [];
  for (const node of table.children)
    if (node.type === 'element') rows.push(...(node.tagName === 'tr' ? [node] : node.children.filter(isElement('tr'))));
  const cellsOf = (row: Element): Element[] => row.children.filter(isElement('td', 'th'));
  const [head, ...rest] = rows.map(cellsOf);
  const isRow = (cells: Element[]): boolean => cells.length <= head!.length && cells.every(isElement('td'));
  const isWide = (node: Element): boolean =>
    node.tagName === 'caption' || hasAny(node, 'colSpan', 'rowSpan', 'width', 'scope', 'align');
  const isInCell = (node: Element): boolean =>
    has(node, ({ tagName }) => isBlock(tagName) && tagName !== 'img' && tagName !== 'br');
  return (
    head !== undefined &&
    head.length > 0 &&
    head.every(isElement('th')) &&
    rest.every(isRow) &&
    !isWide(table) &&
    !has(table, isWide) &&
    ![head, ...rest].flat().some(isInCell)
  );
}

/** Chooses HTML for an element that Markdown cannot write. */
const unless =
  (isMarkdown: (node: Element) => boolean, asHtml: Handle, otherwise: Handle): Handle =>
  (state, node, parent) =>
    (isMarkdown(node) ? otherwise : asHtml)(state, node, parent);

const isPlain = (node: Element): boolean => !hasAny(node, 'align', 'width', 'height');
const asChildren: Handle = (state, node) => state.all(node);
const asFlow: Handle = (state, node) => state.toFlow(state.all(node));
const handler = (name: string): Handle => defaultHandlers[name as keyof typeof defaultHandlers];

/** Whether an item has the number that Markdown gives it. */
function isCounted(item: ElementContent, at: number, all: ElementContent[]): boolean {
  if (item.type !== 'element' || !hasAny(item, 'value')) return true;
  const before = all.slice(0, at).filter(isElement('li')).length;
  return Number(item.properties['value']) === before + 1;
}

/** Some editors write each emphasis twice: `<i><em>`. */
const once =
  (...names: string[]): Handle =>
  (state, node, parent) =>
    parent?.type === 'element' && names.includes(parent.tagName) && parent.children.length === 1
      ? state.all(node)
      : handler(names[0]!)(state, node, parent);

const INLINE = ELEMENTS.inline.filter((name) => !['b', 'em', 'i', 's', 'strong'].includes(name));
const handlers: Record<string, Handle> = {
  ...Object.fromEntries([...INLINE, ...ELEMENTS.hidden].map((name) => [name, asInline])),
  ...Object.fromEntries(['dl', 'ol', 'ul', 'table'].map((name) => [name, asBlock])),
  a: unless((node) => hasAny(node, 'href'), asInline, handler('a')),
  code: (state, node, parent) => (textOf(node) === '' ? undefined : handler('code')(state, node, parent)),
  del: handler('del'),
  ...Object.fromEntries(['em', 'i'].map((name) => [name, once('em', 'i')])),
  ...Object.fromEntries(['strong', 'b'].map((name) => [name, once('strong', 'b')])),
  details: (state, node) => between(state, node, node.children.filter(isElement('summary')).slice(0, 1)),
  div: unless(isPlain, (state, node) => between(state, node), asFlow),
  figure: unless((node) => !has(node, isElement('figcaption')), asBlock, asFlow),
  img: unless(isPlain, asInline, handler('img')),
  li: handler('li'),
  ol: unless((list) => !hasAny(list, 'type', 'reversed') && list.children.every(isCounted), asBlock, handler('ol')),
  p: unless(isPlain, asBlock, handler('p')),
  span: unless((node) => !hasAny(node, 'lang', 'dir', 'title', 'ariaLabel'), asInline, asChildren),
  table: unless(isSimpleTable, asBlock, handler('table')),
  ul: handler('ul'),
  ...Object.fromEntries(
    [1, 2, 3, 4, 5, 6].map((level) => [`h${level}`, unless(isPlain, asBlock, handler(`h${level}`))]),
  ),
};

const isHtmlBlock = ({ type }: { type: string }): boolean => type === 'htmlBlock';

/** A blank line ends HTML. Without it, a tight list would continue the HTML before it. */
const endHtml: NonNullable<WriteOptions['join']>[number] = (left, right) => {
  const startsWithHtml = (node: object): boolean =>
    'children' in node && (node as MarkdownParents).children[0]?.type === 'html';
  return isHtmlBlock(left) || isHtmlBlock(right) || startsWithHtml(left) || startsWithHtml(right) ? 1 : undefined;
};

const ONE_LINE = new Set(['headingAtx', 'headingSetext', 'tableCell']);

const markdown = unified()
  .use(remarkGfm, { singleTilde: false, tablePipeAlign: false })
  .use(remarkStringify, {
    bullet: '-',
    rule: '-',
    extensions: [mathToMarkdown()],
    join: [endHtml],
    handlers: {
      htmlBlock: ({ value }: HtmlBlock) => value,
      break: (_: unknown, _parent: unknown, { stack }: { stack: string[] }) =>
        stack.some((name) => ONE_LINE.has(name)) ? '<br>' : '\\\n',
    },
  } as WriteOptions)
  .freeze();

/**
 * Converts HTML to the Markdown that readers see as the same text. Returns null for HTML that is too deep or has too many elements.
 * A part whose text Markdown would change stays HTML.
 */
export function htmlToMarkdown(html: string): { markdown: string; dropped: DroppedElement[] } | null {
  const parsed = parseHtml(html);
  if (parsed === null) return null;
  const { tree, dropped } = parsed;
  return { markdown: exact(tree) ?? inParts(tree), dropped };
}

function inParts(tree: Root): string {
  const parts = partsOf(tree.children);
  const written = parts.map((part) => exact({ type: 'root', children: [part] }) ?? rawOf(part));
  const whole = written.join('\n');
  return readTextOf(whole) === textOfTree(tree) ? whole : parts.map(rawOf).join('\n');
}

/** Returns the Markdown of a tree, or null if readers would see another text. */
function exact(tree: Root): string | null {
  const document = toMdast(tree, { document: true, handlers }) as MarkdownRoot;
  moveSpaces(document);
  const text = markdown.stringify(document);
  return readTextOf(text) === textOfTree(tree) ? text : null;
}

/** Returns the blocks of a text, without the boxes around them. */
function partsOf(nodes: RootContent[]): RootContent[] {
  const parts: RootContent[] = [];
  let line: ElementContent[] = [];
  const endLine = (): void => {
    if (line.length > 0) parts.push({ type: 'element', tagName: 'p', properties: {}, children: line });
    line = [];
  };
  for (const node of nodes) {
    const isLine = node.type !== 'element' || !isBlock(node.tagName) || node.tagName === 'br' || node.tagName === 'img';
    if (isLine) line.push(node as ElementContent);
    else {
      endLine();
      if (node.tagName === 'div' && isPlain(node)) parts.push(...partsOf(node.children));
      else parts.push(node);
    }
  }
  endLine();
  return parts;
}

/** A `div` begins HTML wherever it stands. */
function rawOf(part: RootContent): string {
  return `<div>${htmlOf(part)}</div>\n`;
}

function readTextOf(text: string): string {
  return renderPost(text).read.text;
}

function textOfTree(tree: Root): string {
  const file = { data: { images: new Map(), people: new Map() } as Record<string, unknown> };
  postProcess()(structuredClone(tree), file);
  return (file.data['found'] as Found).read.text;
}

const EMPHASIS = new Set(['delete', 'emphasis', 'link', 'strong']);

/** Moves spaces out of emphasis and links, where Markdown writes them as character references. */
function moveSpaces(parent: MarkdownParents): void {
  const children: MarkdownNode[] = [];
  for (const node of parent.children) {
    if ('children' in node) moveSpaces(node);
    if (!EMPHASIS.has(node.type)) {
      children.push(node);
      continue;
    }
    const inside = (node as MarkdownParents).children;
    const [before, after] = [cutSpace(inside[0], /^ /), cutSpace(inside.at(-1), / $/)];
    children.push(...before, node, ...after);
  }
  const isSpace = (node: MarkdownNode | undefined): boolean => node?.type === 'text' && node.value === ' ';
  if (!EMPHASIS.has(parent.type)) {
    if (isSpace(children[0])) children.shift();
    if (isSpace(children.at(-1))) children.pop();
  }
  parent.children = children as never;
}

function cutSpace(node: MarkdownNode | undefined, edge: RegExp): MarkdownNode[] {
  if (node?.type !== 'text' || !edge.test(node.value)) return [];
  node.value = node.value.replace(edge, '');
  return [{ type: 'text', value: ' ' }];
}
