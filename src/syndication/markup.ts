import { htmlText } from '../common/html-text.js';
import { xmlSafe } from '../rendering/feed-form.js';

/** Escapes text for XML, and replaces characters that XML cannot represent. */
export function xmlText(text: string): string {
  return htmlText(xmlSafe(text));
}

export const XML_DECLARATION = '<?xml version="1.0" encoding="utf-8"?>\n';

/** @param content a text to escape, or elements */
export function element(
  name: string,
  content: string | string[] = [],
  attributes: Record<string, string> = {},
): string {
  const given = Object.entries(attributes).map(([key, value]) => ` ${key}="${xmlText(value)}"`);
  const inner = typeof content === 'string' ? xmlText(content) : content.join('');
  return `<${name}${given.join('')}>${inner}</${name}>\n`;
}

/** @param html the feed form of a post, without `]]>` and without characters that XML cannot represent */
export function htmlElement(name: string, html: string, attributes = ''): string {
  return `<${name}${attributes}><![CDATA[${html}]]></${name}>\n`;
}
