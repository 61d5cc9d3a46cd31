import { formatOf, problemOf } from './archive-files.js';
import { autop } from './autop.js';
import { plainText } from './html-element.js';
import { toPost } from './to-post.js';
import { xmlItems } from './xml-items.js';

const HEAD = /^\s*<(?:\?xml|rss|!--)[^]*:\/\/wordpress\.org\/export\//;
const FIELDS = new Set([
  ...['title', 'link', 'guid', 'content:encoded', 'wp:post_id', 'wp:post_date', 'wp:post_date_gmt', 'wp:status'],
  ...['wp:post_type', 'wp:post_password', 'wp:attachment_url', '_thumbnail_id', '_yoast_wpseo_canonical'],
  'dc:creator',
]);
const NO_POST = new Set(['trash', 'auto-draft', 'inherit']);

/** The XML of WordPress (WXR), alone or as the files of a ZIP. */
export const wordpressFormat = formatOf('wordpress', [/\.xml$/i], HEAD, async function* (entry, archive) {
  const images = await imagesOf(archive.open(entry));
  for await (const { fields, categories } of xmlItems(archive.open(entry), FIELDS)) {
    const field = (name: string): string => fields.get(name) ?? '';
    const named = (domain: string): string[] =>
      categories.flatMap((one) => (one.domain === domain && one.name !== 'Uncategorized' ? [plainText(one.name)] : []));
    const [status, gmt] = [field('wp:status'), field('wp:post_date_gmt')];
    if (field('wp:post_type') !== 'post' || NO_POST.has(status)) continue;
    yield* toPost('wordpress', entry, {
      id: field('guid') || `${field('link')} ${field('wp:post_id')}`,
      title: plainText(field('title')),
      content: autop(field('content:encoded')),
      contentFormat: 'html',
      tags: [...named('post_tag'), ...named('category')],
      canonicalUrl: field('_yoast_wpseo_canonical'),
      date: gmt === '' || gmt.startsWith('0000') ? field('wp:post_date') : gmt,
      thumbnail: images.get(field('_thumbnail_id')),
      address: field('link'),
      author: field('dc:creator'),
      isPublished: status === 'publish',
      isRestricted: status === 'private' || field('wp:post_password') !== '',
    });
  }
});

/** The file of an attachment may follow its post. An error in the XML ends both passes at the same item. */
async function imagesOf(file: AsyncIterable<Buffer>): Promise<Map<string, string>> {
  const images = new Map<string, string>();
  try {
    for await (const { fields } of xmlItems(file, FIELDS)) {
      const url = fields.get('wp:attachment_url');
      if (url !== undefined) images.set(fields.get('wp:post_id') ?? '', url);
    }
  } catch (error) {
    problemOf('', error);
  }
  return images;
}
