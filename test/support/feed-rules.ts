import type { Element } from '@xmldom/xmldom';
import { children, parseXml, textOf } from './xml.js';

/** An entry of a feed, in the same form for every format. */
export type ReadEntry = { id: string; url: string; title: string; html: string | undefined; author: string };
export type ReadFeed = { self: string; entries: ReadEntry[] };

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
const RFC_822 =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/;

/** Reads a feed by the rules of the W3C validator for its format. Throws on a violation. */
export const READ: Record<string, (text: string) => ReadFeed> = { atom: readAtom, rss: readRss, json: readJson };

function readAtom(text: string): ReadFeed {
  const feed = parseXml(text);
  expect([feed.localName, feed.namespaceURI]).toEqual(['feed', 'http://www.w3.org/2005/Atom']);
  expect(textOf(feed, 'title')).not.toBe('');
  const about = [feed, ...children(feed, 'entry')];
  expectUniqueIris(about.map((one) => textOf(one, 'id')));
  for (const one of about) {
    expectDate(textOf(one, 'updated'), RFC_3339);
    // Each type and language has one alternate.
    const alternates = linksOf(one, 'alternate').map((link) => link.getAttribute('type'));
    expect(new Set(alternates).size).toBe(alternates.length);
    for (const link of children(one, 'link')) expectUrl(link.getAttribute('href')!);
  }
  const entries = children(feed, 'entry').map((entry): ReadEntry => {
    expectDate(textOf(entry, 'published'), RFC_3339);
    const [author] = children(entry, 'author');
    const [content] = children(entry, 'content');
    if (content !== undefined) expect(content.getAttribute('type')).toBe('html');
    else expect(children(entry, 'summary')).toHaveLength(1);
    expectUrl(textOf(author!, 'uri'));
    const url = linksOf(entry, 'alternate')[0]!.getAttribute('href')!;
    const named = { id: textOf(entry, 'id'), url, title: textOf(entry, 'title') };
    return { ...named, html: content?.textContent ?? undefined, author: textOf(author!, 'name') };
  });
  return { self: linksOf(feed, 'self')[0]!.getAttribute('href')!, entries };
}

function readRss(text: string): ReadFeed {
  const rss = parseXml(text);
  expect([rss.nodeName, rss.getAttribute('version')]).toEqual(['rss', '2.0']);
  const [channel, ...others] = children(rss, 'channel') as [Element];
  expect(others).toEqual([]);
  for (const name of ['title', 'link', 'description']) expect(textOf(channel, name)).not.toBe('');
  expectUrl(textOf(channel, 'link'));
  expectDate(textOf(channel, 'lastBuildDate'), RFC_822);
  const self = linksOf(channel, 'self', 'atom:link')[0]!;
  expect(self.namespaceURI).toBe('http://www.w3.org/2005/Atom');
  const items = children(channel, 'item');
  expectUniqueIris(items.map((item) => textOf(item, 'guid')));
  const entries = items.map((item): ReadEntry => {
    expect(children(item, 'guid')[0]!.getAttribute('isPermaLink')).toBe('false');
    expectDate(textOf(item, 'pubDate'), RFC_822);
    const url = textOf(item, 'link');
    expectUrl(url);
    expect(children(item, 'description')).toHaveLength(1);
    const [content] = children(item, 'content:encoded');
    const named = { id: textOf(item, 'guid'), url, title: textOf(item, 'title') };
    return { ...named, html: content?.textContent ?? undefined, author: textOf(item, 'dc:creator') };
  });
  return { self: self.getAttribute('href')!, entries };
}

function readJson(text: string): ReadFeed {
  const feed = JSON.parse(text);
  expect(feed.version).toBe('https://jsonfeed.org/version/1.1');
  expect(feed.title).not.toBe('');
  for (const url of [feed.home_page_url, feed.feed_url]) expectUrl(url);
  expectUniqueIris(feed.items.map(({ id }: { id: string }) => id));
  const entries = feed.items.map((item: any): ReadEntry => {
    for (const date of [item.date_published, item.date_modified]) expectDate(date, RFC_3339);
    expectUrl(item.url);
    expect(['content_html', 'content_text'].filter((name) => typeof item[name] === 'string')).toHaveLength(1);
    expect(item.authors).toHaveLength(1);
    return { id: item.id, url: item.url, title: item.title, html: item.content_html, author: item.authors[0].name };
  });
  return { self: feed.feed_url, entries };
}

function linksOf(parent: Element, rel: string, name = 'link'): Element[] {
  const found = children(parent, name).filter((link) => link.getAttribute('rel') === rel);
  if (found.length === 0) throw new Error(`no link of ${rel}`);
  return found;
}

function expectUniqueIris(ids: string[]): void {
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^tag:[a-z.]+,\d{4}:[\w/%.-]+$/);
}

function expectDate(text: string, form: RegExp): void {
  expect(text).toMatch(form);
  expect(Number.isNaN(Date.parse(text))).toBe(false);
}

function expectUrl(text: string): void {
  expect([text, /^https?:\/\//.test(text) && URL.canParse(text)]).toEqual([text, true]);
}
