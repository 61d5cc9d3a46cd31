import { htmlText } from './markup.js';

/** Tags with addresses, as rehype writes them: no `"` in a value, no `<` outside of tags. */
const TAG = /<(?:a|blockquote|del|img|ins|q) [^>"]*(?:"[^"]*"[^>"]*)*>/g;
const ADDRESS = / (cite|href|src)="([^"]*)"/g;
const HAS_SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/** HTML of a post whose links and pictures lead to the same places wherever it is shown. @param base the address of the post */
export function withAbsoluteLinks(html: string, base: string): string {
  return html.replace(TAG, (tag) =>
    tag.replace(ADDRESS, (whole, name: string, value: string) => {
      if (HAS_SCHEME.test(value)) return whole;
      const target = value.replace(/&#x([0-9a-f]{1,5});/gi, (_, hex: string) =>
        String.fromCodePoint(parseInt(hex, 16)),
      );
      return URL.canParse(target, base) ? ` ${name}="${htmlText(new URL(target, base).href)}"` : whole;
    }),
  );
}
