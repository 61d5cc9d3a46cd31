import type { Element, Nodes } from 'hast';
import { cutWhole } from './post-text.js';
import { ID_PREFIX } from './allow-list.js';

/** The longest preview, in UTF-16 units, so that no client counts more characters. */
export const PREVIEW_LENGTH = 700;

/** The title of the footnotes. */
export const FOOTNOTES = `${ID_PREFIX}footnote-label`;

/**
 * What texts take of each element of the allow-list: its text within the line or as lines, code, its label, or nothing. A preview also omits
 * code, notes and folded parts.
 */
export const ELEMENTS: Readonly<
  Record<'inline' | 'block' | 'folded' | 'code' | 'label' | 'hidden', readonly string[]>
> = {
  inline:
    'a abbr b cite code del dfn em i input ins kbd mark q rt ruby s samp small span strong sub sup time u var wbr'.split(
      ' ',
    ),
  block:
    'blockquote br caption dd div dl dt figcaption figure h1 h2 h3 h4 h5 h6 hr li ol p summary table tbody td tfoot th thead tr ul'.split(
      ' ',
    ),
  // Closed details, and sections of notes
  folded: ['details', 'section'],
  code: ['pre'],
  label: ['img'],
  hidden: ['rp'],
};
const INLINE = new Set([...ELEMENTS.inline, ...ELEMENTS.hidden]);
/** The context of a text: in code, in a folded part or a note, or in a hidden part. */
export type TextContext = { isCode: boolean; isFolded: boolean; isHidden: boolean };

/** Collects the text that readers see, in the order of the tree. */
export class VisibleText {
  /** everything, including code and formulas */
  private all = '';
  /** without code; a formula is a word */
  prose = '';
  /** without code, formula blocks and folded parts */
  private shown = '';

  add(text: string, { isCode, isFolded, isHidden }: TextContext): void {
    if (isHidden) return;
    this.all += text;
    if (isCode) return;
    this.prose += text;
    if (!isFolded) this.shown += text;
  }

  addFormula(tex: string, { isFolded, isHidden }: TextContext, isBlock: boolean): void {
    if (isHidden) return;
    this.all += tex;
    this.prose += 'x';
    if (!isFolded && !isBlock) this.shown += tex;
  }

  /** Ends the current word at blocks, cells and lines. */
  separate(tagName: string): void {
    if (!isBlock(tagName)) return;
    this.all += '\n';
    this.prose += '\n';
    this.shown += '\n';
  }

  get text(): string {
    return oneLine(this.all);
  }

  /** the beginning on one line; for a post that contains only code, the code */
  get preview(): string {
    return previewOf(oneLine(this.shown) || this.text);
  }
}

/** Whether an element ends the line before it. Only the label of an image is apart from its neighbors. */
export function isBlock(tagName: string): boolean {
  return !INLINE.has(tagName);
}

/** Returns the beginning of a text, cut between two characters. */
export function previewOf(text: string): string {
  return cutWhole(oneLine(text), PREVIEW_LENGTH).trimEnd();
}

export function oneLine(text: string): string {
  // A single space needs no replacement, which takes a third of the time of /\s+/.
  return text.replace(/\s{2,}|[^\S ]/g, ' ').trim();
}

/** Whether an element is hidden or has no meaning: numbers, arrows and the title of footnotes, and brackets around readings. */
export function isHidden({ tagName, properties }: Element): boolean {
  if (tagName === 'a') return 'dataFootnoteRef' in properties || 'dataFootnoteBackref' in properties;
  return ELEMENTS.hidden.includes(tagName) || properties['id'] === FOOTNOTES;
}

export function textOf(node: Nodes): string {
  if (node.type === 'text') return node.value;
  return 'children' in node && !(node.type === 'element' && isHidden(node)) ? node.children.map(textOf).join('') : '';
}

export function hasClass({ className }: Element['properties'], name: string): boolean {
  return Array.isArray(className) && className.includes(name);
}
