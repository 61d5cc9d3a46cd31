import { DOMParser, type Element } from '@xmldom/xmldom';

/** Returns the root of a document. Throws if the document is not well-formed. */
export function parseXml(text: string): Element {
  const onError = (level: string, message: string): void => {
    // The server replaces characters that XML cannot represent.
    if (message.startsWith('Unicode replacement character')) return;
    throw new Error(`${level}: ${message}`);
  };
  // The parser accepts characters that the standard does not.
  if (/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u.test(text))
    throw new Error('not a character of XML');
  return new DOMParser({ onError }).parseFromString(text, 'text/xml').documentElement!;
}

/** Returns the children of an element with this name, prefix included. */
export function children({ childNodes }: Element, name: string): Element[] {
  return Array.from(childNodes).filter((node): node is Element => node.nodeName === name);
}

/** Returns the text of the one child with this name. */
export function textOf(parent: Element, name: string): string {
  const found = children(parent, name);
  if (found.length !== 1) throw new Error(`${found.length} of ${name}`);
  return found[0]!.textContent!;
}
