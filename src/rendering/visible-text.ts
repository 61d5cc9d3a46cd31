import type { Element, Nodes } from 'hast';
import { cutWhole } from './post-text.js';
import { ID_PREFIX } from './allow-list.js';

/** The longest preview, in UTF-16 units, so that no client counts more characters. */
export const PREVIEW_LENGTH = 700;

/** The title of the footnotes. */
export const FOOTNOTES = `${ID_PREFIX}footnote-label`;

/** Elements that end no line. */
export const INLINE = new Set(
  'a abbr b cite code del dfn em i input ins kbd mark q rp rt ruby s samp small span strong sub sup time u var wbr'.split(
    ' ',
  ),
);
/** The context of a text: in code, in a folded part, or in a hidden part. */
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
    if (INLINE.has(tagName)) return;
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

/** Returns the beginning of a text, cut between two characters. */
export function previewOf(text: string): string {
  return cutWhole(oneLine(text), PREVIEW_LENGTH).trimEnd();
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Whether an element is hidden or has no meaning: numbers, arrows and the title of footnotes, and brackets around readings. */
export function isHidden({ tagName, properties }: Element): boolean {
  if (tagName === 'a') return 'dataFootnoteRef' in properties || 'dataFootnoteBackref' in properties;
  return tagName === 'rp' || properties['id'] === FOOTNOTES;
}

export function textOf(node: Nodes): string {
  if (node.type === 'text') return node.value;
  return 'children' in node && !(node.type === 'element' && isHidden(node)) ? node.children.map(textOf).join('') : '';
}

export function hasClass({ className }: Element['properties'], name: string): boolean {
  return Array.isArray(className) && className.includes(name);
}
