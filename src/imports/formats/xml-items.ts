import { SaxesParser } from 'saxes';
import { EntryError } from './archive-files.js';

/** An item of RSS, as in WordPress's export, whose fields of `meta` begin with `_`, or an entry of Atom, whose fields are HTML. */
export type XmlItem = { fields: Map<string, string>; categories: { domain: string; name: string }[] };
type Attributes = Record<string, string>;

const ITEMS = new Set(['item', 'entry']);
const MAX_DEPTH = 100;
/** of one text, in characters */
const MAX_TEXT = 10_000_000;
/** WordPress writes them, but XML must not have them. */
const CONTROL = /[\0-\x08\v\f\x0e-\x1f\uFFFE\uFFFF]/g;

/**
 * Yields the items of an XML file. Without a document type, no entity has a definition.
 * @param names of the fields
 * @throws EntryError `xml_doctype`, `xml_too_complex`, `invalid_xml`, after the items before
 */
export async function* xmlItems(file: AsyncIterable<Buffer>, names: ReadonlySet<string>): AsyncGenerator<XmlItem> {
  let found: XmlItem[] = [];
  let item: (XmlItem & { isAtom: boolean }) | null = null;
  const open: Attributes[] = [];
  let [text, key, unread] = ['', '', 0];
  /** level of an element of Atom that contains XHTML, or 0 */
  let markup = 0;
  const refuse = (code: string, detail: string): never => {
    throw new EntryError(code, detail);
  };
  const restart = (): void => void ([text, unread] = ['', 0]);
  const addText = (more: string): void => void (text += markup > 0 ? escaped(more) : more);
  const parser = new SaxesParser();
  parser.on('error', ({ message }) => refuse('invalid_xml', `The XML has an error at ${message.slice(0, 200)}`));
  parser.on('doctype', () =>
    refuse('xml_doctype', 'The XML has a document type, which exports and feeds do not have.'),
  );
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('opentag', ({ name, attributes }) => {
    open.push(attributes);
    if (open.length > MAX_DEPTH) refuse('xml_too_complex', `The XML has more than ${MAX_DEPTH} levels.`);
    if (markup > 0) text += startTag(name, attributes);
    else restart();
    if (ITEMS.has(name)) item = { fields: new Map(), categories: [], isAtom: name === 'entry' };
    if (markup === 0 && item?.isAtom === true && attributes['type'] === 'xhtml') markup = open.length;
  });
  parser.on('closetag', ({ name }) => {
    const isMarkup = open.length > markup && markup > 0;
    const attributes = open.pop() ?? {};
    if (isMarkup) return void (text += endTag(name));
    markup = 0;
    if (name === 'wp:meta_key') key = text;
    const field = name === 'wp:meta_value' ? key : name;
    if (name === 'category')
      item?.categories.push({ domain: attributes['domain'] ?? '', name: attributes['term'] ?? text });
    const isOther = name === 'link' && (attributes['rel'] ?? 'alternate') !== 'alternate';
    if (names.has(field) && !isOther && item?.fields.has(field) === false) {
      const isText = item.isAtom && !/html/.test(attributes['type'] ?? 'text');
      const value = attributes['href'] ?? (isText ? escaped(text) : text);
      item.fields.set(field, value.trim());
    }
    if (ITEMS.has(name) && item !== null) found.push(item);
    if (ITEMS.has(name)) item = null;
    restart();
  });
  const decoder = new TextDecoder();
  for await (const chunk of file) {
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

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

function startTag(name: string, attributes: Attributes): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`);
  return `<${localName(name)}${written.join('')}>`;
}

/** HTML reads `</br>` as another `<br>`. */
function endTag(name: string): string {
  return localName(name) === 'br' ? '' : `</${localName(name)}>`;
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
