import { SaxesParser } from 'saxes';
import { chunksOf, EntryError } from './archive-files.js';

/** An item of WordPress's export: a post, a page, an attachment. Fields of `meta` begin with `_`. */
export type WxrItem = { fields: Map<string, string>; categories: { domain: string; name: string }[] };

const FIELDS = new Set([
  ...['title', 'link', 'guid', 'content:encoded', 'wp:post_id', 'wp:post_date', 'wp:post_date_gmt', 'wp:status'],
  ...['wp:post_type', 'wp:post_password', 'wp:attachment_url', '_thumbnail_id', '_yoast_wpseo_canonical'],
]);
const MAX_DEPTH = 100;
/** of one text, in characters */
const MAX_TEXT = 10_000_000;
/** WordPress writes them, but XML must not have them. */
const CONTROL = /[\0-\x08\v\f\x0e-\x1f\uFFFE\uFFFF]/g;

/**
 * Yields the items of an XML file. Without a document type, no entity has a definition.
 * @throws EntryError `xml_doctype`, `xml_too_complex`, `invalid_xml`, after the items before
 */
export async function* wxrItems(bytes: Buffer): AsyncGenerator<WxrItem> {
  let found: WxrItem[] = [];
  let item: WxrItem | null = null;
  const open: Record<string, string>[] = [];
  let [text, key, unread] = ['', '', 0];
  const refuse = (code: string, detail: string): never => {
    throw new EntryError(code, detail);
  };
  const restart = (): void => {
    [text, unread] = ['', 0];
    if (open.length > MAX_DEPTH) refuse('xml_too_complex', `The XML has more than ${MAX_DEPTH} levels.`);
  };
  const addText = (more: string): void => void (text += more);
  const parser = new SaxesParser();
  parser.on('error', ({ message }) => refuse('invalid_xml', `The XML has an error at ${message.slice(0, 200)}`));
  parser.on('doctype', () => refuse('xml_doctype', 'The XML has a document type, which WordPress does not write.'));
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('opentag', ({ name, attributes }) => {
    open.push(attributes);
    restart();
    if (name === 'item') item = { fields: new Map(), categories: [] };
  });
  parser.on('closetag', ({ name }) => {
    const attributes = open.pop();
    if (name === 'wp:meta_key') key = text;
    const field = name === 'wp:meta_value' ? key : name;
    if (name === 'item' && item !== null) found.push(item);
    if (name === 'item') item = null;
    if (name === 'category') item?.categories.push({ domain: attributes?.['domain'] ?? '', name: text });
    if (FIELDS.has(field) && !item?.fields.has(field)) item?.fields.set(field, text.trim());
    restart();
  });
  const decoder = new TextDecoder();
  for await (const chunk of chunksOf(bytes)) {
    unread += chunk.length;
    if (unread > MAX_TEXT) refuse('xml_too_complex', `A text of the XML has more than ${MAX_TEXT} characters.`);
    try {
      parser.write(decoder.decode(chunk, { stream: true }).replace(CONTROL, ''));
    } finally {
      yield* found;
      found = [];
    }
  }
  parser.close();
}
