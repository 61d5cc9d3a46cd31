import type { FeedDocument, FeedEntry } from './feed-document.js';
import { htmlText } from '../common/html-text.js';
import { element, htmlElement, XML_DECLARATION } from './markup.js';

const NAMESPACES = {
  'xmlns:atom': 'http://www.w3.org/2005/Atom',
  'xmlns:content': 'http://purl.org/rss/1.0/modules/content/',
  'xmlns:dc': 'http://purl.org/dc/elements/1.1/',
  'xmlns:media': 'http://search.yahoo.com/mrss/',
};

/** RSS 2.0, with names of authors (Dublin Core) instead of e-mail addresses, which RSS itself requires. */
export function rssFeed(feed: FeedDocument): string {
  const { title, description, homeUrl, selfUrl, updatedAt, entries } = feed;
  const channel = element('channel', [
    element('title', title),
    element('link', homeUrl),
    element('description', description),
    element('lastBuildDate', updatedAt.toUTCString()),
    element('atom:link', [], { rel: 'self', type: 'application/rss+xml', href: selfUrl }),
    ...entries.map(itemOf),
  ]);
  return XML_DECLARATION + element('rss', [channel], { version: '2.0', ...NAMESPACES });
}

function itemOf({ id, url, title, summary, html, author, tags, imageUrl, publishedAt }: FeedEntry): string {
  return element('item', [
    element('title', title),
    element('link', url),
    element('guid', id, { isPermaLink: 'false' }),
    element('pubDate', publishedAt.toUTCString()),
    element('dc:creator', author.name),
    ...tags.map((tag) => element('category', tag)),
    // feed readers treat a description as HTML
    element('description', htmlText(summary)),
    ...(html === undefined ? [] : [htmlElement('content:encoded', html)]),
    ...(imageUrl === null ? [] : [element('media:content', [], { url: imageUrl, medium: 'image' })]),
  ]);
}
