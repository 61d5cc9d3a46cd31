import { formatOf, textOf } from './archive-files.js';
import { FRONT_MATTER, splitFrontMatter } from './front-matter.js';
import { lineOf, tagsOf, toPost } from './to-post.js';

/** Jekyll's posts may be HTML. */
const JEKYLL = /(?:^|\/)_(?:posts|drafts)\/.*\.(?:md|markdown|html)$/i;
const MARKDOWN = /\.(?:md|markdown|mdx)$/i;
const DATED = /^(\d{4}-\d\d-\d\d)-(.+)$/;

/** Markdown with front matter: Hugo, Jekyll, files of dev.to and Hashnode. Each may be a file alone. */
export const markdownFormat = formatOf('markdown', [JEKYLL, MARKDOWN], FRONT_MATTER, async function* (entry, archive) {
  const text = await textOf(archive, entry);
  const { fields, body } = splitFrontMatter(text);
  const first = (...names: string[]): unknown => names.map((name) => fields.get(name)).find(Boolean);
  const name = nameOf(entry);
  const [, fileDate, slug = name] = DATED.exec(name) ?? [];
  const own = lineOf(first('url', 'permalink'));
  const path =
    JEKYLL.test(entry) && fileDate !== undefined ? `/${fileDate.replaceAll('-', '/')}/%.html` : hugoPath(entry);
  yield* toPost('markdown', entry, {
    // Names of files repeat between sites.
    id: text,
    title: fields.get('title'),
    content: withoutLead(body),
    contentFormat: entry.endsWith('.html') ? 'html' : 'markdown',
    tags: [...tagsOf(fields.get('tags')), ...tagsOf(fields.get('categories'))],
    canonicalUrl: first('canonicalurl', 'canonical'),
    date: first('date', 'datepublished', 'publishedat', 'publishdate', 'pubdate') ?? fileDate,
    thumbnail: thumbnailOf(
      first('coverimage', 'cover', 'image', 'featuredimage', 'featureimage', 'thumbnail', 'images'),
    ),
    // A permalink may have placeholders: `/:year/:title/`.
    address: own !== '' && !own.includes(':') ? own : path.replace('%', () => lineOf(fields.get('slug')) || slug),
    isPublished:
      String(fields.get('published')) !== 'false' &&
      String(fields.get('draft')) !== 'true' &&
      !/(?:^|\/)_drafts\//.test(entry),
    author: authorOf(first('author', 'authors')),
  });
});

export function withoutLead(text: string): string {
  return text.replace(/^(?:[ \t]*\r?\n)+/, '');
}

/** The first of a list, or the field of an object of a theme. */
function thumbnailOf(value: unknown): unknown {
  if (Array.isArray(value)) return value[0];
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value).find(([name]) => /^(?:image|path|src|url)$/.test(name))?.[1];
}

/** The first of a list, by name. */
function authorOf(value: unknown): unknown {
  if (Array.isArray(value)) return authorOf(value[0]);
  return typeof value === 'object' && value !== null && 'name' in value ? value.name : value;
}

/** Returns the name of a file, or of the folder of a page bundle, without extension. */
function nameOf(entry: string): string {
  const [folder = 'index', file] = ['', ...entry.split('/')].slice(-2);
  const name = file!.replace(/\.[^.]*$/, '');
  return name === 'index' && folder !== '' ? folder : name;
}

function hugoPath(entry: string): string {
  const [, section] = /(?:^|\/)content\/([^/]+)\/(?!index\.)/.exec(entry) ?? [];
  return section === undefined ? '/%/' : `/${section}/%/`;
}
