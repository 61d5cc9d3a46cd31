import type { FeedDocument, FeedEntry } from './feed-document.js';

/** JSON Feed 1.1. */
export function jsonFeed(feed: FeedDocument): string {
  const { title, description, homeUrl, selfUrl, entries } = feed;
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title,
    home_page_url: homeUrl,
    feed_url: selfUrl,
    description,
    items: entries.map(itemOf),
  });
}

function itemOf({ id, url, title, summary, html, author, tags, imageUrl, publishedAt, updatedAt }: FeedEntry): object {
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
