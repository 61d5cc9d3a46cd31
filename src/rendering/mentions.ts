import type { ElementContent, Parents, Root, RootContent } from 'hast';
import { BESIDE_NAMES } from '../common/scripts.js';
import { isUsername, USERNAME_LENGTH } from '../users/username.js';

/** The maximum number of mentioned accounts, in the order of the text. Further names stay text. */
export const MAX_MENTIONS = 10;
/** The maximum number of names that are looked up per source, including names in code. */
const MAX_LOOKUPS = 50;

/** A letter has at most 30 marks. */
const MAX_MARKS = 31;
/** What joins a name to a longer word, an address or a path: letters of scripts with spaces, except apostrophes. */
const JOINED = String.raw`(?![${BESIDE_NAMES}\u02bb\u02bc])[\p{L}\p{Nd}_@/]`;
const JOINED_BEFORE = new RegExp(String.raw`${JOINED}\p{M}*$`, 'u');
const JOINED_AFTER = new RegExp(String.raw`^(?:${JOINED}|(?![${BESIDE_NAMES}])\p{M})`, 'u');

/** Existing accounts by a current or earlier name in lower case. @field url of the profile */
export type People = ReadonlyMap<string, { id: string; url: string }>;

/** Elements whose text mentions no account: code, links and quotes. */
const EXCLUDED = new Set('a blockquote code kbd pre q samp'.split(' '));

/**
 * Links names of accounts outside of code, links and quotes to their profiles.
 * @returns the ids of these accounts, each once, in the order of the text
 */
export function linkMentions(tree: Root, people: People): string[] {
  const found = new Set<string>();
  if (people.size > 0) linkIn(tree, people, found);
  return [...found];
}

/** Returns the names that may be mentions in Markdown, in lower case: all that `linkMentions` can find, and some in code. */
export function namesToLookUp(markdown: string): string[] {
  if (!markdown.includes('@')) return [];
  const names = new Set<string>();
  // Editors escape underscores.
  const text = markdown.replaceAll('\\_', '_');
  for (let at = text.indexOf('@'); at !== -1 && names.size < MAX_LOOKUPS; at = text.indexOf('@', at + 1)) {
    // Underscores at the end may close an emphasis.
    for (let end = endOfName(text, at + 1); ; end--) {
      const name = nameOf(text, at + 1, end);
      if (name !== null && isUsername(name)) names.add(name);
      if (text[end - 1] !== '_') break;
    }
  }
  return [...names].slice(0, MAX_LOOKUPS);
}

function linkIn(parent: Parents, people: People, found: Set<string>): void {
  const children: (RootContent | ElementContent)[] = [];
  for (const node of parent.children) {
    if (node.type === 'text') {
      for (const part of partsOf(node.value, people, found)) children.push(part);
      continue;
    }
    if (node.type === 'element' && !EXCLUDED.has(node.tagName)) linkIn(node, people, found);
    children.push(node);
  }
  parent.children = children as typeof parent.children;
}

/** Splits a text at its mentions. Reads each character at most twice. */
function partsOf(text: string, people: People, found: Set<string>): ElementContent[] {
  const parts: ElementContent[] = [];
  let done = 0;
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    const end = endOfName(text, at + 1);
    if (JOINED_BEFORE.test(text.slice(Math.max(0, at - MAX_MARKS), at)) || JOINED_AFTER.test(text.slice(end, end + 2)))
      continue;
    const person = people.get(nameOf(text, at + 1, end) ?? '');
    if (person === undefined || (found.size >= MAX_MENTIONS && !found.has(person.id))) continue;
    found.add(person.id);
    if (at > done) parts.push({ type: 'text', value: text.slice(done, at) });
    const label = { type: 'text' as const, value: text.slice(at, end) };
    parts.push({ type: 'element', tagName: 'a', properties: { href: person.url }, children: [label] });
    done = end;
  }
  if (done < text.length || text === '') parts.push({ type: 'text', value: text.slice(done) });
  return parts;
}

/** Returns null for a run of characters that cannot be a name. */
function nameOf(text: string, from: number, end: number): string | null {
  const length = end - from;
  return length < USERNAME_LENGTH.min || length > USERNAME_LENGTH.max ? null : text.slice(from, end).toLowerCase();
}

function endOfName(text: string, from: number): number {
  let end = from;
  while (isOfName(text.charCodeAt(end))) end++;
  return end;
}

/** a-z, A-Z, 0-9, _ */
function isOfName(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95;
}
