import type { Element, Nodes } from 'hast';

/** Placeholders for values of the configuration and the slug: the origin of the site, the site, and the page of the post. */
const [ORIGIN, SITE, PAGE] = ['\u0001', '\u0002', '\u0003'];

/** Characters that XML 1.0 cannot represent: most control characters, lone surrogates, U+FFFE and U+FFFF. */
const NOT_IN_XML = /[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const ADDRESSES = ['cite', 'href', 'src'] as const;
const HAS_SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const BASE = new URL('https://site.invalid/~/p/~');

/** Replaces characters that XML cannot represent. */
export function xmlSafe(text: string): string {
  return text.replace(NOT_IN_XML, '\ufffd');
}

/** Converts the tree of a post for other sites: absolute URLs, formulas as MathML alone, no characters that XML cannot represent. */
export function toFeedTree(node: Nodes): void {
  if (node.type === 'text') node.value = xmlSafe(node.value);
  // Formulas are the only raw HTML.
  if (node.type === 'raw') node.value = xmlSafe(mathOnly(node.value));
  if (node.type === 'element') makePortable(node);
  if ('children' in node) node.children.forEach(toFeedTree);
}

/** Escapes HTML for a CDATA section. @param html of a tree after `toFeedTree` */
export function feedFormOf(html: string): string {
  return html.replaceAll(']]>', ']]&#62;');
}

/** Converts the stored form to HTML for a site. @param page the URL of the post on the site */
export function fromFeedForm(form: string, site: string, page: string): string {
  const put = (html: string, mark: string, url: string): string => {
    const value = url.replaceAll('&', '&#38;').replaceAll('"', '&#34;');
    return html.replaceAll(mark, () => value);
  };
  return put(put(put(form, PAGE, page), SITE, site), ORIGIN, new URL(site).origin);
}

function makePortable({ properties }: Element): void {
  // Only pages of this site use these properties.
  for (const name of ['srcSet', 'sizes', 'dataPlaceholder']) delete properties[name];
  for (const name in properties) {
    const value = properties[name];
    if (typeof value === 'string') properties[name] = xmlSafe(value);
  }
  for (const name of ADDRESSES) {
    const value = properties[name];
    if (typeof value === 'string' && !HAS_SCHEME.test(value)) properties[name] = absolute(value);
  }
}

function absolute(address: string): string {
  if (!URL.canParse(address, BASE.href)) return address;
  const { href, origin, pathname, search, hash } = new URL(address, BASE);
  if (origin !== BASE.origin) return href;
  const rest = search + hash;
  if (pathname === BASE.pathname) return PAGE + rest;
  return pathname.startsWith('/~/') ? SITE + pathname.slice('/~'.length) + rest : ORIGIN + pathname + rest;
}

/** Returns the MathML of KaTeX's output. Feed readers have no style sheet for KaTeX's HTML, and would show the TeX as well. */
export function mathOnly(html: string): string {
  const [start, end] = [html.indexOf('<math'), html.indexOf('</math>')];
  if (start === -1 || end === -1) return html;
  return html.slice(start, end + '</math>'.length).replace(/<annotation [^>]*>[^<]*<\/annotation>/, '');
}
