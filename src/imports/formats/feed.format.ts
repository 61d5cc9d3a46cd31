import { ARCHIVE_LIMITS } from '../open-archive.js';
import { EntryError, formatOf } from './archive-files.js';
import { plainText } from './html-element.js';
import { absoluteAddress, toPost } from './to-post.js';
import { xmlItems } from './xml-items.js';

const HEAD = /^\s*(?:<(?:\?xml|!--)[^]*?)?<(?:rss|feed|rdf:RDF)[\s>]/;
const FIELDS = new Set([
  ...['title', 'link', 'guid', 'id', 'content:encoded', 'content', 'description', 'summary'],
  ...['pubDate', 'dc:date', 'published', 'updated'],
]);

/** RSS or Atom, as one file: the posts that a site shows in its feed. */
export const feedFormat = formatOf('feed', [], HEAD, async function* (entry, archive) {
  const { address } = archive;
  let count = 0;
  for await (const { fields, categories } of xmlItems(archive.open(entry), FIELDS)) {
    if (++count > ARCHIVE_LIMITS.entries)
      throw new EntryError('too_many_items', `The feed has more than ${ARCHIVE_LIMITS.entries} items.`);
    const first = (...names: string[]): string => names.map((name) => fields.get(name)).find(Boolean) ?? '';
    const [title, id] = [plainText(first('title')), first('guid', 'id')];
    const content = first('content:encoded', 'content', 'description', 'summary');
    const link = absoluteAddress(first('link'), address) || absoluteAddress(id);
    yield* toPost('web', link || title, {
      id: link || id || title + content,
      title,
      content,
      contentFormat: 'html',
      // WordPress adds it to posts without a category.
      tags: categories.flatMap(({ name }) => (name === 'Uncategorized' ? [] : [plainText(name)])),
      canonicalUrl: link,
      date: first('pubDate', 'published', 'dc:date', 'updated'),
      address: link,
      isPublished: true,
    });
  }
});
