import type { Parents, Root, Element } from 'hast';
import { RIGHT_TO_LEFT } from '../common/scripts.js';
import type { ResponsiveImage } from '../media/responsive-image.js';
import { cutWhole, wordsIn } from './post-text.js';
import { ID_PREFIX } from './allow-list.js';
import { formulaHtml } from './formula.js';
import { isHeading, nameHeadings } from './heading-ids.js';
import { linkMentions, type People } from './mentions.js';
import { showOwnImage } from './own-image.js';
import { shownIn } from './shown-text.js';
import { MAX_TOC, MAX_TOC_TEXT, type RenderedHtml, type RenderedPost, type TocEntry } from './rendered-html.js';
import { ELEMENTS, hasClass, isHidden, oneLine, type TextContext, textOf, VisibleText } from './visible-text.js';

export type Found = Omit<RenderedHtml, 'html'> & Omit<RenderedPost, 'html' | 'feed' | 'isPlain'> & { tree: Root };

/** Images of the author, by hex id. */
export type OwnImages = ReadonlyMap<string, ResponsiveImage>;

const HAS_RIGHT_TO_LEFT = new RegExp(`[${RIGHT_TO_LEFT}]`, 'u');
const BLOCKS = new Set('p h1 h2 h3 h4 h5 h6 li td th dt dd summary figcaption caption'.split(' '));

/**
 * Adds links of mentions, ids of headings, marks of links, and formulas to the elements that the allow-list has accepted.
 * The same walk collects the text that readers see, and the data derived from this text.
 */
export function postProcess() {
  return (tree: Root, file: { data: Record<string, unknown> }): void => {
    const images = file.data['images'] as OwnImages;
    const mentions = linkMentions(tree, file.data['people'] as People);
    const finisher = new Finisher(nameHeadings(tree), HAS_RIGHT_TO_LEFT.test(textOf(tree)), images);
    finisher.walk(tree, { isCode: false, isFolded: false, isHidden: false });
    const { toc, hasMath, hasOwnImages, hasOtherImages, visible } = finisher;
    const read = { headings: finisher.headings, text: visible.text };
    file.data['found'] = {
      tree,
      toc,
      hasMath,
      hasOwnImages,
      hasOtherImages,
      words: wordsIn(visible.prose),
      preview: visible.preview,
      mentions,
      shown: shownIn(tree),
      read,
    } satisfies Found;
  };
}

class Finisher {
  readonly toc: TocEntry[] = [];
  readonly headings: string[] = [];
  readonly visible = new VisibleText();
  hasMath = false;
  hasOwnImages = false;
  hasOtherImages = false;

  constructor(
    /** ids that links may target */
    private readonly ids: ReadonlySet<string>,
    /** whether each block gets its own direction */
    private readonly isRightToLeft: boolean,
    private readonly images: OwnImages,
  ) {}

  walk(parent: Parents, context: TextContext): void {
    const { children } = parent;
    const folded = isFolded(parent) ? { ...context, isFolded: true } : context;
    for (let index = 0; index < children.length; index++) {
      const node = children[index]!;
      const here = node.type === 'element' && node.tagName === 'summary' ? context : folded;
      if (node.type === 'text') this.visible.add(node.value, here);
      if (node.type !== 'element') continue;
      // Inserts KaTeX's output unchanged, because parsing and writing it again, as rehype-katex does, takes ten times as long as KaTeX.
      const html = this.formulaOf(node, here);
      if (html !== undefined) children[index] = { type: 'raw', value: html };
      else this.enter(node, here);
    }
  }

  private enter(node: Element, context: TextContext): void {
    this.finish(node, context);
    const isCode = context.isCode || ELEMENTS.code.includes(node.tagName);
    this.visible.separate(node.tagName);
    this.walk(node, { ...context, isCode, isHidden: context.isHidden || isHidden(node) });
    this.visible.separate(node.tagName);
  }

  /** Returns the HTML of a formula in `code`, or in `pre` around `code`. */
  private formulaOf(node: Element, context: TextContext): string | undefined {
    const [first] = node.children;
    const code = node.tagName === 'pre' ? first : node;
    if (code?.type !== 'element' || !hasClass(code.properties, 'language-math')) return undefined;
    const isBlock = code !== node || hasClass(code.properties, 'math-display');
    const tex = textOf(code);
    const html = formulaHtml(tex, isBlock);
    if (html === undefined) return undefined;
    this.hasMath = true;
    if (isBlock) this.visible.separate('p');
    this.visible.addFormula(tex, context, isBlock);
    if (isBlock) this.visible.separate('p');
    return html;
  }

  private finish(node: Element, context: TextContext): void {
    const { tagName, properties } = node;
    if (tagName === 'a') this.finishLink(properties);
    if (tagName === 'img') {
      if (showOwnImage(properties, this.images)) this.hasOwnImages = true;
      else if (properties['src'] !== undefined) this.hasOtherImages = true;
      Object.assign(properties, { loading: 'lazy', decoding: 'async', referrerPolicy: 'no-referrer' });
      this.visible.add(` ${String(properties['alt'] ?? '')} `, context);
    }
    if (tagName === 'blockquote') markAlert(node);
    if (this.isRightToLeft && BLOCKS.has(tagName)) properties['dir'] ??= 'auto';
    if (isHeading(node)) this.addHeading(node);
  }

  private finishLink(properties: Element['properties']): void {
    const { href } = properties;
    if (typeof href !== 'string') return;
    if (!href.startsWith('#')) properties['rel'] = ['ugc', 'nofollow', 'noopener'];
    // A fragment refers to the text, except a link to the top of the page.
    else if (href !== '#' && (href !== '#top' || this.ids.has(`${ID_PREFIX}top`)))
      properties['href'] = this.fragmentOf(href);
  }

  /** Resolves a fragment like GitHub: the exact id, or else its lower-case form. */
  private fragmentOf(href: string): string {
    const name = href.slice(1);
    const id = ID_PREFIX + name;
    const small = decoded(id).toLowerCase();
    if (!this.ids.has(decoded(id)) && this.ids.has(small)) return `#${small}`;
    return name.startsWith(ID_PREFIX) && this.ids.has(decoded(name)) ? href : `#${id}`;
  }

  private addHeading({ tagName, properties, children }: Element): void {
    const text = oneLine(children.map(textOf).join(''));
    if (text === '') return;
    this.headings.push(text);
    const [level, id] = [Number(tagName[1]), String(properties['id'])];
    if (this.toc.length < MAX_TOC) this.toc.push({ level, id, text: cutWhole(text, MAX_TOC_TEXT) });
  }
}

/** Whether a part is closed, or has the notes of the text. */
function isFolded(parent: Parents): boolean {
  if (parent.type !== 'element' || !ELEMENTS.folded.includes(parent.tagName)) return false;
  return parent.tagName === 'section' ? 'dataFootnotes' in parent.properties : !('open' in parent.properties);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const TITLES = new Map(['Note', 'Tip', 'Important', 'Warning', 'Caution'].map((title) => [title.toUpperCase(), title]));

/** Converts a quote whose first line is `[!NOTE]` to an alert, with the classes of GitHub. */
function markAlert({ properties, children }: Element): void {
  const paragraph = children.find((node) => node.type === 'element');
  const mark = paragraph?.children[0];
  if (paragraph?.tagName !== 'p' || mark?.type !== 'text') return;
  const found = /^\s*\[!([a-z]{3,9})\]\s*$/i.exec(mark.value);
  const title = TITLES.get(found?.[1]?.toUpperCase() ?? '');
  const next = paragraph.children[1];
  if (title === undefined || (next !== undefined && !(next.type === 'element' && next.tagName === 'br'))) return;
  properties['className'] = ['markdown-alert', `markdown-alert-${title.toLowerCase()}`];
  const heading: Element = {
    type: 'element',
    tagName: 'p',
    properties: { className: ['markdown-alert-title'] },
    children: [{ type: 'text', value: title }],
  };
  const rest = paragraph.children.slice(2);
  if (rest[0]?.type === 'text') rest[0] = { ...rest[0], value: rest[0].value.trimStart() };
  const at = children.indexOf(paragraph);
  children.splice(at, 1, heading, ...(rest.length === 0 ? [] : [{ ...paragraph, children: rest }]));
}
