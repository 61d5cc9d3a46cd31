import { formatOf, problemOf } from './archive-files.js';
import { type JsonItem, jsonItems } from './json-items.js';
import { lineOf, toPost } from './to-post.js';

const TABLES = '$.db.*.data';
/** Stands for the address of the site, which the export lacks. */
const SITE = '__GHOST_URL__';

/** The JSON of Ghost, alone or in a ZIP with its folder `content/images`. */
export const ghostFormat = formatOf('ghost', [/\.json$/i], /^\s*\{\s*"db"\s*:\s*\[/, async function* (entry, archive) {
  const file = () => archive.open(entry);
  const tagsOf = await readNames(file(), 'tags', { table: 'posts_tags', id: 'tag_id' }, ({ name, visibility }) =>
    visibility === 'internal' ? '' : lineOf(name),
  );
  const links = { table: 'posts_authors', id: 'author_id' };
  const authorsOf = await readNames(file(), 'users', links, ({ slug }) => lineOf(slug));
  for await (const post of jsonItems(file(), `${TABLES}.posts.*`)) {
    if (post['type'] === 'page' || Boolean(post['page'])) continue;
    const slug = lineOf(post['slug']);
    yield* toPost('ghost', entry, {
      id: lineOf(post['uuid']) || `${slug} ${lineOf(post['id'])}`,
      title: post['title'],
      // Ghost's editor calls it the subtitle, and themes show it below the title.
      subtitle: post['custom_excerpt'],
      content: withoutSite(post['html']),
      contentFormat: 'html',
      tags: tagsOf(post),
      canonicalUrl: post['canonical_url'],
      date: post['published_at'] ?? post['created_at'],
      thumbnail: withoutSite(post['feature_image']),
      address: slug && `/${slug}/`,
      author: authorsOf(post)[0],
      isPublished: post['status'] === 'published',
      isRestricted: !['public', ''].includes(lineOf(post['visibility'])),
    });
  }
});

function withoutSite(value: unknown): string {
  return typeof value === 'string' ? value.replaceAll(SITE, '') : '';
}

/**
 * Reads a table and its links with posts, which stand after the posts and so need a pass of their own. An error in the JSON ends the next
 * pass, too.
 * @returns the names of a post in their order
 */
async function readNames(
  file: AsyncIterable<Buffer>,
  table: 'tags' | 'users',
  links: { table: string; id: string },
  nameOf: (row: JsonItem) => string,
): Promise<(post: JsonItem) => string[]> {
  const names = new Map<unknown, string>();
  const ofPosts = new Map<unknown, [at: number, id: unknown][]>();
  try {
    for await (const row of jsonItems(file, `${TABLES}.${table}.*`, `${TABLES}.${links.table}.*`)) {
      const { id, post_id: post, sort_order: at } = row;
      if (post === undefined) names.set(id, nameOf(row));
      else
        ofPosts
          .set(post, ofPosts.get(post) ?? [])
          .get(post)!
          .push([Number(at), row[links.id]]);
    }
  } catch (error) {
    problemOf('', error);
  }
  // Ghost before 1.22 has one author, in the post.
  return (post) =>
    (ofPosts.get(post['id']) ?? [[0, post[links.id]]]).sort(([a], [b]) => a - b).map(([, id]) => names.get(id) ?? '');
}
