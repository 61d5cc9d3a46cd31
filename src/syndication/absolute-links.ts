import { htmlText } from '../common/html-text.js';

/**
 * Every tag and every attribute, as rehype and KaTeX write them: values in double quotes, `<` in values and tags alone. None is left out:
 * what begins to look for tags within a value takes the quote at its end for one that begins, and makes markup of what is none.
 */
const TAG = /<([a-z][^\s>"]*)(?: [^>"]*(?:"[^"]*"[^>"]*)*)?>/g;
const ATTRIBUTE = / ([^\s"=]+)="([^"]*)"/g;
const WITH_ADDRESSES = new Set(['a', 'blockquote', 'del', 'img', 'ins', 'q']);
const ADDRESSES = new Set(['cite', 'href', 'src']);
const HAS_SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/** HTML of a post whose links and pictures lead to the same places wherever it is shown. @param base the address of the post */
export function withAbsoluteLinks(html: string, base: string): string {
  return html.replace(TAG, (tag, element: string) => {
    if (!WITH_ADDRESSES.has(element)) return tag;
    return tag.replace(ATTRIBUTE, (whole, name: string, value: string) => {
      if (!ADDRESSES.has(name) || HAS_SCHEME.test(value)) return whole;
      const target = value.replace(/&#x([0-9a-f]{1,5});/gi, (_, hex: string) =>
        String.fromCodePoint(parseInt(hex, 16)),
      );
      return URL.canParse(target, base) ? ` ${name}="${htmlText(new URL(target, base).href)}"` : whole;
    });
  });
}
