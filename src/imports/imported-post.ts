import { MAX_TAGS } from '../posts/labels.dto.js';
import { MAX_SUBTITLE, MAX_TITLE } from '../posts/post-rules.js';
import {
  addressOf,
  normalizeLine,
  tagsOf,
  truncate,
  withoutInvisible,
} from '../platform/http/validation/foreign-values.js';
import type { ArchivePost, ArchiveProblem } from './archive.js';
import { type ImportProblem, MAX_PROBLEMS } from './import.schema.js';

/** characters of a problem's parts */
const MAX_ENTRY = 300;
const MAX_DETAIL = 500;

/** The labels of a post by the rules of this server. */
export type ImportedLabels = Pick<ArchivePost, 'title' | 'subtitle' | 'tags' | 'canonicalUrl'> & { importedAt?: Date };

/**
 * Applies the rules for titles, tags, addresses and times to a post of an archive.
 * @param now no post was published later
 */
export function labelsOfPost(
  post: ArchivePost,
  now: Date,
): { labels: ImportedLabels; address: string | null; problems: ArchiveProblem[] } {
  const { entry, createdAt, isPublished } = post;
  const problems: ArchiveProblem[] = [];
  const note = (code: string, detail: string): void => void problems.push({ entry, code, detail });
  const cut = (text: string, name: string, max: number): string => {
    const line = normalizeLine(text);
    if (withoutInvisible(line) === '') return '';
    const kept = truncate(line, max);
    if (kept !== line) note(`${name}_cut`, `The ${name} is longer than ${max} characters: ${line}`);
    return kept;
  };
  const title = cut(post.title, 'title', MAX_TITLE);
  if (title === '') note('no_title', 'The post has no title.');
  const subtitle = cut(post.subtitle ?? '', 'subtitle', MAX_SUBTITLE) || null;
  const { tags } = tagsOf(post.tags, MAX_TAGS);
  const lost = post.tags.filter((tag) => !tagsOf([tag], 1).tags.some((kept) => tags.includes(kept)));
  if (lost.length > 0) note('tags_dropped', `Tags that were dropped: ${lost.join(', ')}`);
  const canonicalUrl = addressOf(post.canonicalUrl, 'https:', 'http:');
  if (post.canonicalUrl !== null && canonicalUrl === null)
    note('canonical_dropped', `The canonical address is no web address: ${post.canonicalUrl}`);
  const isDated = createdAt !== null && createdAt.getTime() > 0 && createdAt <= now;
  if (isPublished && !isDated) note('no_date', 'The post has no time of publication between 1970 and now.');
  const labels = { title, subtitle, tags, canonicalUrl, ...(isPublished && isDated && { importedAt: createdAt }) };
  return { labels, address: post.address === null ? null : addressKey(post.address), problems };
}

/**
 * Returns the form by which addresses of the old site are compared: host and path, or only a path; without scheme, `www.`, query and
 * trailing slash.
 * @param base address of the page that contains a relative one
 */
export function addressKey(address: string, base?: string | null): string | null {
  const page = base?.includes('://') === true ? base : undefined;
  const isAbsolute = URL.canParse(address, page);
  if (!isAbsolute && !URL.canParse(address, 'path:///')) return null;
  const { protocol, host, pathname } = new URL(address, isAbsolute ? page : 'path:///');
  if (isAbsolute && !['http:', 'https:'].includes(protocol)) return null;
  const path = pathname.replace(/\/(?:index\.html?)?$/, '');
  const key = isAbsolute ? host.replace(/^www\./, '') + path : path;
  return key === '' || key.length > MAX_DETAIL ? null : key;
}

/** Returns the update that adds problems to an import. Only the first ones are stored. */
export function problemUpdate(problems: readonly ArchiveProblem[]) {
  const rows = problems.slice(0, MAX_PROBLEMS).map(({ entry, code, detail }): ImportProblem => ({
    entry: truncate(normalizeLine(entry), MAX_ENTRY),
    code,
    detail: truncate(normalizeLine(detail), MAX_DETAIL),
  }));
  return { problems: { $each: rows, $slice: MAX_PROBLEMS } };
}
