import type { Element, Nodes } from 'hast';
import { hostOfAddress } from '../common/links.js';
import { mathOnly } from './feed-form.js';
import { isBlock } from './visible-text.js';

/** What a page shows of a text, for rules. @field hosts of its links and images, in order, with repetitions */
export type Shown = { text: string; hosts: string[] };

const ADDRESSES = ['cite', 'href', 'src'] as const;
/** Texts that appear instead of an element, or beside it. */
const LABELS = ['alt', 'ariaLabel', 'title'] as const;

/** Returns all text and hosts of a finished tree, also those that previews and search omit. */
export function shownIn(tree: Nodes): Shown {
  const found = { lines: [''], asides: [] as string[], hosts: [] as string[] };
  collect(tree, found);
  return { text: [...found.lines, ...found.asides].join('\n'), hosts: found.hosts };
}

type Found = { lines: string[]; asides: string[]; hosts: string[] };

function collect(node: Nodes, found: Found): void {
  if (node.type === 'text') found.lines[found.lines.length - 1] += node.value;
  // Formulas are the only raw HTML.
  if (node.type === 'raw') found.lines[found.lines.length - 1] += textOfMath(node.value);
  const isLine = node.type === 'element' && node.tagName !== 'img' && isBlock(node.tagName);
  if (isLine) found.lines.push('');
  if (node.type === 'element') collectAttributes(node, found);
  // Browsers hide `rp`, and show readings above the line.
  if (node.type === 'element' && (node.tagName === 'rp' || node.tagName === 'rt')) {
    const aside = shownIn({ type: 'root', children: node.children });
    if (node.tagName === 'rt') found.asides.push(aside.text);
    found.hosts.push(...aside.hosts);
  } else if ('children' in node) {
    for (const child of node.children) collect(child, found);
  }
  if (isLine) found.lines.push('');
}

function collectAttributes({ tagName, properties }: Element, { lines, asides, hosts }: Found): void {
  for (const name of ADDRESSES) {
    const host = typeof properties[name] === 'string' ? hostOfAddress(properties[name]) : null;
    if (host !== null) hosts.push(host);
  }
  for (const name of LABELS) if (typeof properties[name] === 'string') asides.push(properties[name]);
  // A browser shows the label of an image that is missing as a part of the line.
  if (tagName === 'img') lines[lines.length - 1] += String(properties['alt'] ?? '');
}

function textOfMath(html: string): string {
  return mathOnly(html).replace(/<[^<>]*>/g, '');
}
