import { formatOf, problemOf } from './archive-files.js';
import { splitFrontMatter } from './front-matter.js';
import { jsonItems } from './json-items.js';
import { withoutLead } from './markdown.format.js';
import { lineOf, tagsOf, toPost } from './to-post.js';

const HEAD = /^\s*\[\s*\{[^]*"body_markdown"/;

/** The list that `GET /api/articles/me/all` of dev.to returns, or `articles.json` of its export. */
export const devToFormat = formatOf('dev.to', [/\.json$/i], HEAD, async function* (entry, archive) {
  for await (const article of jsonItems(archive.open(entry), '$.*')) {
    const address = lineOf(article['url']) || lineOf(article['path']);
    const text = article['body_markdown'];
    yield* toPost('dev.to', entry, {
      id: lineOf(article['path']) || address || lineOf(article['id']),
      title: article['title'],
      content: typeof text === 'string' ? bodyOf(text) : '',
      contentFormat: 'markdown',
      tags: tagsOf(article['tag_list'] ?? article['cached_tag_list']),
      canonicalUrl: article['canonical_url'],
      date: article['published_at'] ?? article['created_at'],
      thumbnail: article['cover_image'] ?? article['main_image'],
      address,
      isPublished: (article['published'] ?? article['published_at'] != null) === true,
    });
  }
});

/** The first editor of dev.to has the fields in the text. A text may also begin with a line of dashes. */
function bodyOf(text: string): string {
  try {
    return withoutLead(splitFrontMatter(text).body);
  } catch (error) {
    problemOf('', error);
    return text;
  }
}
