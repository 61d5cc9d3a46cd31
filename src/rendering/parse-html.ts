import type { Element, ElementContent, Parents, Root } from 'hast';
import { slug } from 'github-slugger';
import { fromParse5 } from 'hast-util-from-parse5';
import { type DefaultTreeAdapterTypes, defaultTreeAdapter, html as names, Parser } from 'parse5';
import rehypeSanitize from 'rehype-sanitize';
import { unified } from 'unified';
import { ALLOW_LIST } from './allow-list.js';
import { type DroppedElement, MAX_DROPPED, MAX_ELEMENT_NAME } from './dropped-element.js';
import { textOf } from './visible-text.js';

/** The cost of parsing grows with the depth. Real pages, with tables in tables, have less than 50. */
const MAX_DEPTH = 100;
/** Unclosed tags may multiply elements: the parser opens them again in each block. */
const MAX_ELEMENTS = 50_000;

/** Elements whose content no browser shows. */
const HIDDEN = ['audio', 'canvas', 'datalist', 'noscript', 'object', 'svg', 'video'];
/** Elements that end a line. Their tags go, the line end stays. */
const BLOCKS = new Set(
  'address article aside center dir fieldset footer form header hgroup legend main menu nav option search'.split(' '),
);
const HAS_ADDRESS = /^(?!data:)./;
const ALLOWED = new Set(ALLOW_LIST.tagNames);
/** Elements that can begin with the anchor of a link. */
const ANCHORED = new Set('p h1 h2 h3 h4 h5 h6 li dt dd td th div section figcaption span sup'.split(' '));

// The renderer adds the prefix of ids.
const sanitizer = unified()
  .use(rehypeSanitize, { ...ALLOW_LIST, clobberPrefix: '', strip: [...ALLOW_LIST.strip!, ...HIDDEN] })
  .freeze();

const BODY = defaultTreeAdapter.createElement('body', names.NS.HTML, []);

class TooComplex extends Error {}

/** Returns the allowed elements of HTML, and counts the others. Returns null beyond the limits of depth and size. */
export function parseHtml(html: string): { tree: Root; dropped: DroppedElement[] } | null {
  try {
    const tree = fromParse5(parseBounded(html)) as Root;
    const dropped = new Map<string, number>();
    prepare(tree, dropped, targetsIn(tree));
    return { tree: sanitizer.runSync(tree), dropped: mostFrequent(dropped) };
  } catch (error) {
    if (error instanceof TooComplex) return null;
    throw error;
  }
}

function parseBounded(html: string): DefaultTreeAdapterTypes.DocumentFragment {
  let count = 0;
  let depthOf = (): number => 0;
  const onItemPush = (): void => {
    if (depthOf() > MAX_DEPTH || ++count > MAX_ELEMENTS) throw new TooComplex();
  };
  const treeAdapter = { ...defaultTreeAdapter, onItemPush };
  const parser = Parser.getFragmentParser(BODY, { treeAdapter, scriptingEnabled: false });
  depthOf = () => parser.openElements.stackTop;
  parser.tokenizer.write(html, true);
  return parser.getFragment();
}

/** Counts what the allow-list drops, and prepares what it keeps: line ends, anchors of links, images. */
function prepare(parent: Parents, dropped: Map<string, number>, targets: ReadonlySet<string>): void {
  parent.children = (parent.children as ElementContent[]).filter(
    (node) => node.type !== 'element' || isKept(node, dropped),
  );
  for (const node of parent.children) {
    if (node.type !== 'element') continue;
    const { tagName, properties } = node;
    const id = String(properties['id'] ?? '');
    // A `picture` shows its image, which is kept.
    const isOfPicture = tagName === 'picture' || ('tagName' in parent && parent.tagName === 'picture');
    if (!ALLOWED.has(tagName) && !isOfPicture) count(dropped, tagName);
    // Only code keeps a class, the name of its language.
    if (tagName !== 'code') delete properties['className'];
    if (tagName === 'center') properties['align'] = 'center';
    if (BLOCKS.has(tagName)) node.tagName = 'div';
    // The heading has this id without an anchor.
    const isNamed = targets.has(id) && !(/^h\d$/.test(tagName) && slug(textOf(node)) === id);
    if (tagName !== 'a') delete properties['id'];
    prepare(node, dropped, targets);
    if (isNamed && ANCHORED.has(node.tagName))
      node.children.unshift({ type: 'element', tagName: 'a', properties: { id }, children: [] });
  }
}

/** Drops fields of forms, and images without an address. */
function isKept({ tagName, properties }: Element, dropped: Map<string, number>): boolean {
  // Images that a script loads when they come into view.
  if (tagName === 'img' && !HAS_ADDRESS.test(String(properties['src'] ?? '')))
    properties['src'] = String(properties['dataSrc'] ?? '');
  const isField = tagName === 'input' && properties['type'] !== 'checkbox';
  const isEmpty = tagName === 'img' && !HAS_ADDRESS.test(String(properties['src'] ?? ''));
  if (isField || isEmpty) count(dropped, tagName);
  return !isField && !isEmpty;
}

function count(dropped: Map<string, number>, tagName: string): void {
  const element = tagName.slice(0, MAX_ELEMENT_NAME);
  dropped.set(element, (dropped.get(element) ?? 0) + 1);
}

function mostFrequent(dropped: Map<string, number>): DroppedElement[] {
  const counted = [...dropped].map(([element, times]) => ({ element, count: times }));
  return counted.sort((a, b) => b.count - a.count || (a.element < b.element ? -1 : 1)).slice(0, MAX_DROPPED);
}

/** Returns the ids that links of the text lead to. */
function targetsIn(tree: Root): Set<string> {
  const targets = new Set<string>();
  const visit = (parent: Parents): void => {
    for (const node of parent.children) {
      if (node.type !== 'element') continue;
      const href = String(node.properties['href'] ?? '');
      if (node.tagName === 'a' && href.length > 1 && href.startsWith('#')) targets.add(decoded(href.slice(1)));
      visit(node);
    }
  };
  visit(tree);
  return targets;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
