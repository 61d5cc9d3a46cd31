import type { Nodes, Root } from 'mdast';
import { mathFromMarkdown } from 'mdast-util-math';
import { math } from 'micromark-extension-math';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { type Processor, unified } from 'unified';
import { escapeMarkdown } from './escape-markdown.js';
import { isSafeHtml } from './safe-html.js';

/** An escape can reveal another construct. After this many rounds, the whole text is escaped. */
const MAX_ROUNDS = 10;
const SAFE_SCHEMES = new Set(['http', 'https', 'mailto', 'media']);

/** Parse the client's syntax with and without formulas, because a construct of one syntax may hide HTML from the other. */
const PARSERS = [unified().use(remarkParse).use(remarkGfm), unified().use(remarkParse).use(remarkGfm).use(formulas)];

/** A plugin that parses formulas as remark-math does. */
export function formulas(this: Processor): void {
  const data = this.data();
  (data.micromarkExtensions ??= []).push(math());
  (data.fromMarkdownExtensions ??= []).push(mathFromMarkdown());
}

type Edit = { at: number; removed: number; text: string };

/**
 * Escapes Markdown for a client that renders raw HTML without a sanitizer. HTML that docs/html.md does not allow and links with other
 * schemes become text; all other characters are unchanged. Pure. Costs up to MAX_ROUNDS times two parses.
 */
export function safeMarkdown(markdown: string): string {
  let text = markdown;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const edits = new Map<number, Edit>();
    for (const parser of PARSERS) collect(parser.parse(text), text, edits);
    if (edits.size === 0) return text;
    text = applyEdits(text, [...edits.values()]);
  }
  return escapeMarkdown(text);
}

function collect(node: Nodes | Root, text: string, edits: Map<number, Edit>): void {
  // GFM autolinks have no position.
  const [start, end] = [node.position?.start.offset ?? 0, node.position?.end.offset ?? 0];
  if (node.type === 'html' && !isSafeHtml(node.value)) {
    for (let at = text.indexOf('<', start); at !== -1 && at < end; at = text.indexOf('<', at + 1))
      edits.set(at, { at, removed: 1, text: '&lt;' });
  }
  if (node.position !== undefined && 'url' in node && !isSafeUrl(node.url)) {
    const at = node.type === 'image' ? start + 1 : start;
    edits.set(at, text[at] === '<' ? { at, removed: 1, text: '&lt;' } : { at, removed: 0, text: '\\' });
  }
  if ('children' in node) for (const child of node.children) collect(child, text, edits);
}

function isSafeUrl(url: string): boolean {
  // Browsers ignore white space and control characters in a scheme.
  const [, scheme] = /^([^/?#:]*):/.exec(url.replace(/[\0-\x20\x7f]/g, '')) ?? [];
  return scheme === undefined || SAFE_SCHEMES.has(scheme.toLowerCase());
}

function applyEdits(text: string, edits: Edit[]): string {
  let result = '';
  let from = 0;
  for (const { at, removed, text: inserted } of edits.sort((a, b) => a.at - b.at)) {
    result += text.slice(from, at) + inserted;
    from = at + removed;
  }
  return result + text.slice(from);
}
