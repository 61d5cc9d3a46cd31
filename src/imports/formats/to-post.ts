import { createHash } from 'node:crypto';
import type { ArchivePost } from '../archive.js';
import type { Read } from './archive-files.js';

/** The fields of a post as its platform wrote them. `id` identifies it among all sites of the platform. */
type FoundPost = Pick<ArchivePost, 'content' | 'contentFormat' | 'isPublished'> &
  Partial<Record<'subtitle' | 'canonicalUrl' | 'date' | 'thumbnail' | 'author', unknown>> & {
    id: string;
    title: unknown;
    tags?: readonly string[];
    address?: string;
    /** whether only some accounts could read it */
    isRestricted?: boolean;
  };

const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ]+(\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) *(Z|UTC|[+-]\d\d:?\d\d)?)?$/;
/** `Thu, 02 Jan 2020 …`, `Thu Jan 02 2020 …`, `January 2, 2020` */
const WRITTEN =
  /^(?:[a-z]{3,9},? )?(?:\d\d? )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6},? (?:\d\d?,? )?\d{4}\b/i;
const HAS_ZONE = /[+-]\d{4}|\b(?:GMT|UTC|[ECMP][DS]T)\b|Z$/;
const MAX_DATE = 100;

/** Returns a value of text as one line, and anything else as an empty text. */
export function lineOf(value: unknown): string {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  return text.replace(/\s+/g, ' ').trim();
}

/** Returns an address of the web, or an empty text. @param base of a relative one */
export function absoluteAddress(address: string, base?: string | null): string {
  if (address === '' || !URL.canParse(address, base ?? undefined)) return '';
  const { protocol, href } = new URL(address, base ?? undefined);
  return ['http:', 'https:'].includes(protocol) ? href : '';
}

/** Returns the tags of a list, or of a text that separates them by commas or spaces. */
export function tagsOf(value: unknown): string[] {
  const line = lineOf(value);
  return Array.isArray(value) ? value.map(lineOf) : line.split(line.includes(',') ? ',' : ' ').map(lineOf);
}

/** Yields the post, after the problems of its fields. */
export function* toPost(format: string, entry: string, found: FoundPost): Generator<Read> {
  const { id, content, contentFormat, isRestricted = false } = found;
  const title = lineOf(found.title);
  const author = lineOf(found.author);
  const origin = { entry, ...(author !== '' && { author }) };
  const problem = (code: string, detail: string): Read => ({ ...origin, code, detail: `${title || entry}: ${detail}` });
  if (content.trim() === '') {
    yield problem('no_content', 'has no text.');
    return;
  }
  const createdAt = dateOf(found.date);
  if (createdAt === undefined) yield problem('invalid_date', 'its date is not a date.');
  if (isRestricted) yield problem('not_public', 'was not readable for everyone, and stays a draft.');
  yield {
    sourceId: `${format}:${createHash('sha256').update(id).digest('base64url').slice(0, 22)}`,
    ...origin,
    title,
    subtitle: lineOf(found.subtitle) || null,
    content,
    contentFormat,
    tags: [...new Set(found.tags)].filter((tag) => tag !== ''),
    canonicalUrl: lineOf(found.canonicalUrl) || null,
    createdAt: createdAt ?? null,
    thumbnail: lineOf(found.thumbnail).replace(/^\/\//, 'https://') || null,
    address: found.address || null,
    isPublished: found.isPublished && !isRestricted,
  };
}

/** Returns null for an absent date, and undefined for a value that is none. A date without a zone is in UTC. */
export function dateOf(value: unknown): Date | null | undefined {
  if (typeof value === 'number') return valid(new Date(value));
  const text = lineOf(value);
  if (text === '' || text.startsWith('0000-')) return value == null || typeof value === 'string' ? null : undefined;
  if (text.length > MAX_DATE) return undefined;
  const [, day, time = '00:00', zone = 'Z'] = ISO.exec(text) ?? [];
  if (day === undefined)
    return WRITTEN.test(text) ? valid(new Date(HAS_ZONE.test(text) ? text : `${text} UTC`)) : undefined;
  // Date rolls 31 February over.
  const isDay = valid(new Date(day))?.toISOString().startsWith(day);
  return isDay ? valid(new Date(`${day}T${time}${zone.replace('UTC', 'Z')}`)) : undefined;
}

function valid(date: Date): Date | undefined {
  return Number.isNaN(date.getTime()) ? undefined : date;
}
