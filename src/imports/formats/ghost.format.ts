import { formatOf, problemOf } from './archive-files.js';
import { type JsonItem, jsonItems } from './json-items.js';
import { lineOf, toPost } from './to-post.js';

const TABLES = '$.db.*.data';
/** Stands for the address of the site, which the export lacks. */
const SITE = '__GHOST_URL__';

/** The JSON of Ghost, alone or in a ZIP with its folder `content/images`. */
export const ghostFormat = formatOf('ghost', [/\.json$/i], /^\s*\{\s*"db"\s*:\s*\[/, async function* (entry, bytes) {
  const tagsOf = await readTags(bytes);
  for await (const post of jsonItems(bytes, `${TABLES}.posts.*`)) {
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
      isPublished: post['status'] === 'published',
      isRestricted: !['public', ''].includes(lineOf(post['visibility'])),
    });
  }
});

function withoutSite(value: unknown): string {
  return typeof value === 'string' ? value.replaceAll(SITE, '') : '';
}

/** Tags stand after the posts, so they need a pass of their own. An error in the JSON ends the next pass, too. */
async function readTags(bytes: Buffer): Promise<(post: JsonItem) => string[]> {
  const names = new Map<unknown, string>();
  const links = new Map<unknown, [at: number, tag: unknown][]>();
  try {
    for await (const row of jsonItems(bytes, `${TABLES}.tags.*`, `${TABLES}.posts_tags.*`)) {
      const { id, post_id: post, tag_id: tag, sort_order: at, visibility } = row;
      if (post !== undefined)
        links
          .set(post, links.get(post) ?? [])
          .get(post)!
          .push([Number(at), tag]);
      else if (visibility !== 'internal') names.set(id, lineOf(row['name']));
    }
  } catch (error) {
    problemOf('', error);
  }
  return ({ id }) => (links.get(id) ?? []).sort(([a], [b]) => a - b).map(([, tag]) => names.get(tag) ?? '');
}
