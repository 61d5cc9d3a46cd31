import type { Element, Nodes, Parents, Root } from 'hast';
import { cutWhole, slugify, wordsIn } from '../body/post-text.js';
import { ID_PREFIX } from './allow-list.js';
import { formulaHtml } from './formula.js';
import { MAX_TOC, MAX_TOC_TEXT, type RenderedHtml, type TocEntry } from './rendered-html.js';

const FOOTNOTES = `${ID_PREFIX}footnote-label`;

/**
 * What is added to the elements that the allow-list has let through: ids of headings, marks of links, formulas. On the way it collects
 * what the answer says of the text.
 */
export function finishTree() {
  return (tree: Root, file: { data: Record<string, unknown> }): void => {
    const finisher = new Finisher(idsIn(tree));
    finisher.walk(tree, true);
    const { toc, hasMath, prose } = finisher;
    Object.assign(file.data, { toc, hasMath, words: wordsIn(prose) } satisfies Omit<RenderedHtml, 'html'>);
  };
}

class Finisher {
  readonly toc: TocEntry[] = [];
  hasMath = false;
  /** without code */
  prose = '';
  /** the numbers that headings of the same words have come to */
  private readonly numbers = new Map<string, number>();

  constructor(
    /** of the author, and those that were given */
    private readonly ids: Set<string>,
  ) {}

  walk(parent: Parents, isProse: boolean): void {
    const { children } = parent;
    for (let index = 0; index < children.length; index++) {
      const node = children[index]!;
      if (node.type === 'text' && isProse) this.prose += node.value;
      if (node.type !== 'element') continue;
      const html = this.formulaOf(node);
      // as KaTeX wrote it: to parse it and to write it again, as rehype-katex does, takes ten times what KaTeX takes
      if (html !== undefined) children[index] = { type: 'raw', value: html };
      else {
        this.finish(node);
        this.walk(node, isProse && node.tagName !== 'pre');
      }
    }
  }

  /** Of `code` in a sentence, or of `pre` around it. */
  private formulaOf(node: Element): string | undefined {
    const [first] = node.children;
    const code = node.tagName === 'pre' ? first : node;
    if (code?.type !== 'element' || !hasClass(code, 'language-math')) return undefined;
    const isBlock = code !== node || hasClass(code, 'math-display');
    this.hasMath = true;
    // counts as a word
    this.prose += 'x';
    return formulaHtml(textOf(code), isBlock);
  }

  private finish(node: Element): void {
    const { tagName, properties } = node;
    if (tagName === 'a') finishLink(properties);
    if (tagName === 'img')
      Object.assign(properties, { loading: 'lazy', decoding: 'async', referrerPolicy: 'no-referrer' });
    if (/^h[1-6]$/.test(tagName) && properties['id'] !== FOOTNOTES) this.addHeading(node);
  }

  private addHeading({ tagName, properties, children }: Element): void {
    const text = children.map(textOf).join('').replace(/\s+/g, ' ').trim();
    if (text === '') return;
    const id = String((properties['id'] ??= this.freeId(slugify(text, 'section'))));
    if (this.toc.length < MAX_TOC) this.toc.push({ level: Number(tagName[1]), id, text: cutWhole(text, MAX_TOC_TEXT) });
  }

  private freeId(slug: string): string {
    for (;;) {
      const number = (this.numbers.get(slug) ?? 0) + 1;
      this.numbers.set(slug, number);
      const id = `${ID_PREFIX}${slug}${number === 1 ? '' : `-${number}`}`;
      if (this.ids.has(id)) continue;
      this.ids.add(id);
      return id;
    }
  }
}

function idsIn(parent: Parents, ids = new Set<string>()): Set<string> {
  for (const node of parent.children) {
    if (node.type !== 'element') continue;
    if (node.properties['id'] !== undefined) ids.add(String(node.properties['id']));
    idsIn(node, ids);
  }
  return ids;
}

function finishLink(properties: Element['properties']): void {
  const { href } = properties;
  if (typeof href !== 'string') return;
  // to a place in the same text
  if (href.startsWith('#')) properties['href'] = `#${ID_PREFIX}${href.slice(1)}`;
  else properties['rel'] = ['ugc', 'nofollow', 'noopener'];
}

function hasClass({ properties: { className } }: Element, name: string): boolean {
  return Array.isArray(className) && className.includes(name);
}

function textOf(node: Nodes): string {
  if (node.type === 'text') return node.value;
  return 'children' in node ? node.children.map(textOf).join('') : '';
}
