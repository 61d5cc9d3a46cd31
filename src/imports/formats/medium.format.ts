import { EntryError, formatOf, textOf } from './archive-files.js';
import { findElement, type HtmlElement } from './html-element.js';
import { lineOf, toPost } from './to-post.js';

type Test = (name: string, attribute: HtmlElement['attribute']) => boolean;

const POST = /(?:^|\/)posts\/[^/]+\.html$/;
const HEAD = /^\s*<[^]*<section data-field="(?:subtitle|body)"/;
/** The end of the name of a file. */
const ID = /-([0-9a-f]{8,16})\.html$/;

/** The ZIP of Medium: a file of HTML for each post and each response. */
export const mediumFormat = formatOf('medium', [POST], HEAD, async function* (entry, archive) {
  const html = await textOf(archive, entry);
  const body = findElement(html, (name, attribute) => name === 'section' && attribute('data-field') === 'body');
  const title = lineOf(findElement(html, hasClass('p-name'))?.text);
  const text = body === null ? '' : html.slice(body.contentStart, body.contentEnd);
  const heading = findElement(text, hasClass('graf--title'));
  if (heading === null && isResponse(text, title))
    throw new EntryError('response', `${title}: seems to be a response to a post of others, and is left out.`);
  const address = findElement(html, hasClass('p-canonical'))?.attribute('href');
  const isTitle = heading !== null && lineOf(heading.text) === title;
  yield* toPost('medium', entry, {
    id: ID.exec(entry)?.[1] ?? html,
    title,
    content: isTitle ? text.slice(0, heading.start) + text.slice(heading.end) : text,
    contentFormat: 'html',
    canonicalUrl: address,
    date: findElement(html, hasClass('dt-published'))?.attribute('datetime'),
    thumbnail: findElement(text, (_, attribute) => attribute('data-is-featured') === 'true')?.attribute('src'),
    address,
    isPublished: !/(?:^|\/)draft_[^/]*$/.test(entry),
  });
});

function hasClass(className: string): Test {
  return (_, attribute) => attribute('class').split(' ').includes(className);
}

/** The title of a response is the beginning of its text. */
function isResponse(content: string, title: string): boolean {
  const leading = findElement(content, hasClass('graf--leading'));
  const start = title.replace(/…$/, '').trim();
  return leading?.name === 'p' && start !== '' && lineOf(leading.text).startsWith(start);
}
