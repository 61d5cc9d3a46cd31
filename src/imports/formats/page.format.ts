import { EntryError, formatOf, textOf } from './archive-files.js';
import { findElement, plainText } from './html-element.js';
import { absoluteAddress, lineOf, toPost } from './to-post.js';

const HEAD = /^\s*(?=<)[^]*?<(?:!doctype\s+html|html|body|main|article)[\s>]/i;
const END_OF_HEAD = /<(?:\/head|body)[\s>]/i;
/** Of JSON-LD. */
const PUBLISHED = /"datePublished"\s{0,9}:\s{0,9}"([^"\\]{1,40})"/;

/** A page with one article, as one file. Its menus, sidebars and comments are outside of the article. */
export const pageFormat = formatOf('page', [], HEAD, async function* (entry, archive) {
  const html = await textOf(archive, entry);
  const article = findElement(html, isNamed('article')) ?? findElement(html, isNamed('main'));
  if (article === null)
    throw new EntryError('no_article', 'The page has no <article> and no <main>. Import its feed, or copy the text.');
  const head = html.slice(0, END_OF_HEAD.exec(html)?.index);
  const meta = (property: string): string =>
    findElement(head, (name, attribute) => name === 'meta' && attribute('property') === property)?.attribute(
      'content',
    ) ?? '';
  const href = findElement(head, (name, attribute) => name === 'link' && attribute('rel') === 'canonical');
  const canonicalUrl = absoluteAddress(href?.attribute('href') ?? '', archive.address) || archive.address;
  const named = lineOf(meta('og:title')) || lineOf(plainText(findElement(head, isNamed('title'))?.text ?? ''));
  const text = html.slice(article.contentStart, article.contentEnd);
  const heading = findElement(text, isNamed('h1'));
  const shown = lineOf(heading?.text);
  // A title often ends with the name of the site.
  const isTitle = heading !== null && shown !== '' && named.startsWith(shown);
  const title = isTitle ? shown : named;
  const time = findElement(text, (name, attribute) => name === 'time' && attribute('datetime') !== '');
  yield* toPost('web', archive.address ?? title, {
    id: canonicalUrl ?? html,
    title,
    content: isTitle ? text.slice(0, heading.start) + text.slice(heading.end) : text,
    contentFormat: 'html',
    canonicalUrl,
    date: meta('article:published_time') || time?.attribute('datetime') || PUBLISHED.exec(html)?.[1],
    address: archive.address ?? canonicalUrl ?? '',
    isPublished: true,
  });
});

function isNamed(wanted: string): (name: string) => boolean {
  return (name) => name === wanted;
}
