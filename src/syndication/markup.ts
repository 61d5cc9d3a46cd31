import { htmlText } from '../common/html-text.js';

/** What XML 1.0 has no way to say: most control characters, halves of characters, U+FFFE and U+FFFF. */
const NOT_IN_XML = /[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** Text as it stands in XML; what cannot be said there is replaced. */
export function xmlText(text: string): string {
  return htmlText(text.replace(NOT_IN_XML, '\ufffd'));
}

export const XML_DECLARATION = '<?xml version="1.0" encoding="utf-8"?>\n';

/** @param content a text, which is escaped, or elements */
export function element(
  name: string,
  content: string | string[] = [],
  attributes: Record<string, string> = {},
): string {
  const given = Object.entries(attributes).map(([key, value]) => ` ${key}="${xmlText(value)}"`);
  const inner = typeof content === 'string' ? xmlText(content) : content.join('');
  return `<${name}${given.join('')}>${inner}</${name}>\n`;
}
