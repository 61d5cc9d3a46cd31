import type { Nodes } from 'mdast';
import { markdown } from '../common/markdown.js';
import type { TextAddress } from './text-addresses.js';

/** The destination of `[text](destination "title")` and of `[label]: destination`. */
const DESTINATION = /^\s*(?:<((?:\\.|[^<>\n\\])*)>|((?:\\.|[^\s\\])*?))(?=\s|\)?$)/;
const ATTRIBUTE = /(<\s*(?:img|a)\s(?:[^>]*?\s)?(?:src|href)\s*=\s*)(?:"([^"]*)"|'([^']*)')/gi;
const ENTITY = /&amp;/g;

/** Finds the addresses of images and links, also in HTML. An address that is a text at the same time is omitted. */
export function addressesIn(text: string): TextAddress[] {
  const found: TextAddress[] = [];
  const visit = (node: Nodes): void => {
    const at = node.position?.start.offset;
    const end = node.position?.end.offset;
    if (at !== undefined && end !== undefined) {
      const source = text.slice(at, end);
      if (node.type === 'image' || node.type === 'link' || node.type === 'definition') {
        const place = placeOf(source, node.type === 'definition' ? ']:' : '](', node.url);
        const kind = node.type === 'link' ? 'link' : 'image';
        if (place !== null) found.push({ kind, url: node.url, start: at + place.start, end: at + place.end });
      }
      if (node.type === 'html')
        for (const match of source.matchAll(ATTRIBUTE)) {
          const value = match[2] ?? match[3]!;
          const start = at + match.index + match[1]!.length + 1;
          const kind = /^<\s*img/i.test(match[1]!) ? 'image' : 'link';
          found.push({ kind, url: value.replace(ENTITY, '&'), start, end: start + value.length });
        }
    }
    if ('children' in node) node.children.forEach(visit);
  };
  visit(markdown.parse(text));
  return found.sort((a, b) => a.start - b.start);
}

/** Returns the offsets of the destination, or null if its source is not the address, as in an automatic link. */
function placeOf(source: string, mark: string, url: string): { start: number; end: number } | null {
  const from = mark === ']:' ? source.indexOf(mark) : source.lastIndexOf(mark);
  if (from < 0) return null;
  const start = from + mark.length;
  const match = DESTINATION.exec(source.slice(start));
  if (match === null) return null;
  const written = match[1] ?? match[2]!;
  const plain = written.replace(/\\([!-/:-@[-`{-~])/g, '$1').replace(ENTITY, '&');
  if (plain !== url) return null;
  const at = start + match[0].lastIndexOf(written);
  return { start: at, end: at + written.length };
}
