import type { FeedDocument, FeedEntry } from './feed-document.js';
import { element, htmlElement, XML_DECLARATION } from './markup.js';

const NAMESPACES = { xmlns: 'http://www.w3.org/2005/Atom', 'xmlns:media': 'http://search.yahoo.com/mrss/' };

/** RFC 4287. */
export function atomFeed(feed: FeedDocument): string {
  const { id, title, description, homeUrl, selfUrl, updatedAt, entries } = feed;
  const parts = [
    element('id', id),
    element('title', title),
    element('subtitle', description),
    element('updated', updatedAt.toISOString()),
    element('link', [], { rel: 'self', type: 'application/atom+xml', href: selfUrl }),
    element('link', [], { rel: 'alternate', type: 'text/html', href: homeUrl }),
    ...entries.map(entryOf),
  ];
  return XML_DECLARATION + element('feed', parts, NAMESPACES);
}

function entryOf(entry: FeedEntry): string {
  const { id, url, title, summary, html, author, tags, imageUrl, publishedAt, updatedAt } = entry;
  return element('entry', [
    element('id', id),
    element('title', title),
    element('link', [], { rel: 'alternate', type: 'text/html', href: url }),
    element('published', publishedAt.toISOString()),
    element('updated', updatedAt.toISOString()),
    element('author', [element('name', author.name), element('uri', author.url)]),
    ...tags.map((term) => element('category', [], { term })),
    element('summary', summary, { type: 'text' }),
    ...(imageUrl === null ? [] : [element('media:thumbnail', [], { url: imageUrl })]),
    ...(html === undefined ? [] : [htmlElement('content', html, ' type="html"')]),
  ]);
}
