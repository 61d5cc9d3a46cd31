import type { FeedDocument, FeedEntry } from './feed-document.js';
import { element, htmlElement, XML_DECLARATION } from './markup.js';
import { htmlText } from '../common/html-text.js';

const ATOM_NAMESPACES = { xmlns: 'http://www.w3.org/2005/Atom', 'xmlns:media': 'http://search.yahoo.com/mrss/' };

/** Writes an Atom feed (RFC 4287). */
export function atomFeed(feed: FeedDocument): string {
  const { id, title, description, homeUrl, selfUrl, updatedAt, entries } = feed;
  const parts = [
    element('id', id),
    element('title', title),
    element('subtitle', description),
    element('updated', updatedAt.toISOString()),
    element('link', [], { rel: 'self', type: 'application/atom+xml', href: selfUrl }),
    element('link', [], { rel: 'alternate', type: 'text/html', href: homeUrl }),
    ...entries.map(atomEntry),
  ];
  return XML_DECLARATION + element('feed', parts, ATOM_NAMESPACES);
}

function atomEntry(entry: FeedEntry): string {
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

const RSS_NAMESPACES = {
  'xmlns:atom': 'http://www.w3.org/2005/Atom',
  'xmlns:content': 'http://purl.org/rss/1.0/modules/content/',
  'xmlns:dc': 'http://purl.org/dc/elements/1.1/',
  'xmlns:media': 'http://search.yahoo.com/mrss/',
};

/** Writes an RSS 2.0 feed, with author names (Dublin Core) instead of the e-mail addresses that RSS itself requires. */
export function rssFeed(feed: FeedDocument): string {
  const { title, description, homeUrl, selfUrl, updatedAt, entries } = feed;
  const channel = element('channel', [
    element('title', title),
    element('link', homeUrl),
    element('description', description),
    element('lastBuildDate', updatedAt.toUTCString()),
    element('atom:link', [], { rel: 'self', type: 'application/rss+xml', href: selfUrl }),
    ...entries.map(rssItem),
  ]);
  return XML_DECLARATION + element('rss', [channel], { version: '2.0', ...RSS_NAMESPACES });
}

function rssItem({ id, url, title, summary, html, author, tags, imageUrl, publishedAt }: FeedEntry): string {
  return element('item', [
    element('title', title),
    element('link', url),
    element('guid', id, { isPermaLink: 'false' }),
    element('pubDate', publishedAt.toUTCString()),
    element('dc:creator', author.name),
    ...tags.map((tag) => element('category', tag)),
    // Feed readers treat a description as HTML.
    element('description', htmlText(summary)),
    ...(html === undefined ? [] : [htmlElement('content:encoded', html)]),
    ...(imageUrl === null ? [] : [element('media:content', [], { url: imageUrl, medium: 'image' })]),
  ]);
}

/** Writes a JSON Feed 1.1. */
export function jsonFeed(feed: FeedDocument): string {
  const { title, description, homeUrl, selfUrl, entries } = feed;
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title,
    home_page_url: homeUrl,
    feed_url: selfUrl,
    description,
    items: entries.map(jsonItem),
  });
}

function jsonItem({
  id,
  url,
  title,
  summary,
  html,
  author,
  tags,
  imageUrl,
  publishedAt,
  updatedAt,
}: FeedEntry): object {
  return {
    id,
    url,
    title,
    summary,
    ...(html === undefined ? { content_text: summary } : { content_html: html }),
    ...(imageUrl === null ? {} : { image: imageUrl }),
    date_published: publishedAt.toISOString(),
    date_modified: updatedAt.toISOString(),
    authors: [author],
    tags,
  };
}
