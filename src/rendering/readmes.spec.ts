import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import GithubSlugger from 'github-slugger';
import type { Nodes } from 'mdast';
import { type DefaultTreeAdapterMap, parseFragment } from 'parse5';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import { renderPost } from './render-markdown.js';

type HtmlNode = DefaultTreeAdapterMap['childNode'];
type HtmlElement = DefaultTreeAdapterMap['element'];

const MODULES = join(import.meta.dirname, '../../node_modules');
const SAMPLE = 20;
const isLong = process.env['TEST_SCALE'] === 'long';

/** The READMEs of the packages that this project uses: real texts by many authors. */
const readmes = readdirSync(MODULES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
  .flatMap(({ name }) =>
    name.startsWith('@') ? readdirSync(join(MODULES, name)).map((own) => join(name, own)) : [name],
  )
  .flatMap((name) => readmeOf(join(MODULES, name)).map((text) => ({ name, text })))
  // Excludes texts longer than the limit of a post.
  .filter(({ text }) => text.length < 200_000);
const step = isLong ? 1 : Math.ceil(readmes.length / SAMPLE);

function readmeOf(directory: string): string[] {
  const file = readdirSync(directory).find((name) => /^readme\.(?:md|markdown)$/i.test(name));
  return file === undefined ? [] : [readFileSync(join(directory, file), 'utf8')];
}

describe.each(readmes.filter((_, at) => at % step === 0))('the README of $name', ({ text }) => {
  const { html, preview } = renderPost(text);
  const { childNodes } = parseFragment(html.html);
  const tree = unified().use(remarkParse).use(remarkGfm).parse(text);

  it('loses no word of its Markdown', () => {
    const shown = childNodes.map((node) => textOf(node, () => true)).join('');
    const written = nodesOf(tree).flatMap((node) =>
      node.type === 'text' || node.type === 'code' ? words(node.value) : [],
    );
    expect(written.filter((word) => !shown.includes(word))).toEqual([]);
  });

  it('begins with its preview', () => {
    const shown = childNodes.map((node) => textOf(node, isInPreview)).join('');
    const [start, whole] = [preview, shown].map((part) => part.replace(/\s+/g, '')) as [string, string];
    if (whole === '') return;
    expect(whole.slice(0, start.length)).toBe(start);
    expect(preview.length).toBeGreaterThan(Math.min(whole.length, 350) - 1);
  });

  it('has the places that links lead to on GitHub', () => {
    const slugger = new GithubSlugger();
    const nodes = nodesOf(tree);
    const onGithub = new Set(nodes.flatMap((node) => (node.type === 'heading' ? [slugger.slug(plain(node))] : [])));
    const ids = new Set(idsIn(childNodes));
    const targets = nodes.flatMap((node) =>
      node.type === 'link' && node.url.startsWith('#') ? [node.url.slice(1)] : [],
    );
    const dead = targets.filter((name) => onGithub.has(name) && !ids.has(`user-content-${name}`));
    expect(dead).toEqual([]);
  });

  it('has each id once', () => {
    const ids = idsIn(childNodes);
    expect(ids).toEqual([...new Set(ids)]);
  });
});

function words(text: string): string[] {
  // The marker of an alert becomes its title.
  return text.replace(/^\[![A-Z]+\]/, '').match(/[\p{L}\p{N}]+/gu) ?? [];
}

function nodesOf(node: Nodes): Nodes[] {
  return 'children' in node ? [node, ...node.children.flatMap(nodesOf)] : [node];
}

/** Returns the text from which GitHub derives the id of a heading. */
function plain(node: Nodes): string {
  if ('children' in node) return node.children.map(plain).join('');
  return node.type === 'text' || node.type === 'inlineCode' ? node.value : '';
}

function elementsOf(nodes: HtmlNode[]): HtmlElement[] {
  return nodes.flatMap((node) => ('attrs' in node ? [node, ...elementsOf(node.childNodes)] : []));
}

const idsIn = (nodes: HtmlNode[]) => elementsOf(nodes).flatMap((element) => attribute(element, 'id') ?? []);
const attribute = ({ attrs }: HtmlElement, name: string) => attrs.find((each) => each.name === name)?.value;

/** Excludes code and formula blocks. Of folded parts, `textOf` reads only the summary. */
const isInPreview = (element: HtmlElement): boolean =>
  element.tagName !== 'pre' && attribute(element, 'class') !== 'katex-display';

/** Returns the visible text, with the alternative text of images and the TeX of formulas. */
function textOf(node: HtmlNode, isSeen: (element: HtmlElement) => boolean): string {
  if (node.nodeName === '#text') return 'value' in node ? node.value : '';
  if (!('attrs' in node) || !isSeen(node) || isOfFootnotes(node)) return '';
  if (node.tagName === 'img') return attribute(node, 'alt') ?? '';
  let children = node.childNodes;
  if (attribute(node, 'class') === 'katex')
    children = elementsOf(children).filter(({ tagName }) => tagName === 'annotation');
  else if (isSeen === isInPreview && node.tagName === 'details' && attribute(node, 'open') === undefined)
    children = children.filter(({ nodeName }) => nodeName === 'summary');
  return children.map((child) => textOf(child, isSeen)).join('');
}

/** Whether an element is a number, arrow or title of footnotes. */
function isOfFootnotes(element: HtmlElement): boolean {
  const isLink = ['data-footnote-ref', 'data-footnote-backref'].some((name) => attribute(element, name) !== undefined);
  return isLink || attribute(element, 'id') === 'user-content-footnote-label';
}
