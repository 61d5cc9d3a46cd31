import type { Element, Parents, Root } from 'hast';
import GithubSlugger, { slug } from 'github-slugger';
import { ID_PREFIX } from './allow-list.js';
import { FOOTNOTES, textOf } from './visible-text.js';

const FOOTNOTE = new RegExp(`^${ID_PREFIX}(?:fn-|fnref-|footnote-label$)`);

/** Sets the heading ids that GitHub would set, and returns every id that links may target. The author's own ids get a prefix. */
export function nameHeadings(tree: Root): Set<string> {
  const ids = new Set<string>();
  const headings: Element[] = [];
  for (const element of elementsIn(tree)) {
    const { tagName, properties } = element;
    if (tagName === 'a' && properties['name'] !== undefined) {
      properties['id'] ??= properties['name'];
      delete properties['name'];
    }
    if (isHeading(element)) headings.push(element);
    if (properties['id'] !== undefined) ids.add(String(properties['id']));
  }
  const slugger = new GithubSlugger();
  for (const id of ids) if (FOOTNOTE.test(id)) slugger.occurrences[id.slice(ID_PREFIX.length)] = 0;
  const taken = new Set<unknown>();
  for (const { properties, children } of headings) {
    const text = children.map(textOf).join('').trim();
    const own = properties['id'];
    if (text === '') continue;
    const id = `${ID_PREFIX}${slugger.slug(slug(text) === '' ? 'section' : text)}`;
    if (own !== undefined && own !== id)
      children.unshift({ type: 'element', tagName: 'a', properties: { id: own }, children: [] });
    properties['id'] = id;
    ids.add(id);
    taken.add(id);
  }
  // Each id occurs once. A heading takes precedence over other elements.
  for (const element of elementsIn(tree)) {
    const { id } = element.properties;
    if (id === undefined || (taken.has(id) && isHeading(element))) continue;
    if (taken.has(id)) delete element.properties['id'];
    taken.add(id);
  }
  return ids;
}

/** Whether an element is a heading of the author, not the title of the footnotes. */
export function isHeading({ tagName, properties }: Element): boolean {
  return /^h[1-6]$/.test(tagName) && properties['id'] !== FOOTNOTES;
}

function elementsIn(parent: Parents, found: Element[] = []): Element[] {
  for (const node of parent.children) {
    if (node.type !== 'element') continue;
    found.push(node);
    elementsIn(node, found);
  }
  return found;
}
