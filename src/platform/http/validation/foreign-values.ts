import { tagFrom } from './tags.decorator.js';

/** Control characters, surrogates and characters that change the text direction. */
const FORBIDDEN = /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/gu;
const FORBIDDEN_IN_LINES = /(?![\n\t])[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/gu;
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;
const MAX_ADDRESS = 2_048;

/** Normalizes text to one trimmed NFC line without control characters. Returns '' if the value is not a string. */
export function normalizeLine(value: unknown): string {
  if (typeof value !== 'string') return '';
  return value
    .replace(/[\r\n\t\u2028\u2029]+/g, ' ')
    .replace(FORBIDDEN, '')
    .normalize('NFC')
    .trim();
}

/** Like `normalizeLine`, but preserves line breaks and tabs. */
export function normalizeText(value: unknown): string {
  if (typeof value !== 'string') return '';
  return value.replaceAll('\r\n', '\n').replace(FORBIDDEN_IN_LINES, '').normalize('NFC').trim();
}

export function withoutInvisible(text: string): string {
  return text.replace(IGNORABLE, '').replaceAll('\u2800', '').trim();
}

/** Truncates a text and trims it. @param max in code points */
export function truncate(text: string, max: number): string {
  return text.length <= max ? text : [...text].slice(0, max).join('').trim();
}

/**
 * Normalizes tags: NFC, lower case, `-` for spaces and `_`, no other special characters, at most 32 characters, no duplicates, the first
 * `max`. `isChanged`: a tag was changed or dropped.
 */
export function tagsOf(value: unknown, max: number): { tags: string[]; isChanged: boolean } {
  const given: unknown[] = Array.isArray(value) ? value : [];
  const cleaned = given.map((tag) => (typeof tag === 'string' ? tagFrom(tag) : null));
  const tags = [...new Set(cleaned.filter((tag) => tag !== null))].slice(0, max);
  return { tags, isChanged: tags.length !== given.length || tags.some((tag, at) => tag !== given[at]) };
}

/** Returns the normalized URL; null for another scheme, credentials, or more than 2,048 characters. */
export function addressOf(value: unknown, ...schemes: ('https:' | 'http:')[]): string | null {
  if (typeof value !== 'string' || value.match(FORBIDDEN) !== null || !URL.canParse(value.trim())) return null;
  const { protocol, username, password, href } = new URL(value.trim());
  const isAllowed = (schemes as string[]).includes(protocol) && username === '' && password === '';
  return isAllowed && href.length <= MAX_ADDRESS ? href : null;
}
