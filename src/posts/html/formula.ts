import katex from 'katex';

/** No links, no images, no attributes of the author; macros end, and no size breaks a page. */
const OPTIONS = { trust: false, maxExpand: 1_000, maxSize: 50, strict: 'ignore', throwOnError: false } as const;

/** HTML of a formula; one that is wrong is shown as it was written. Undefined for what KaTeX cannot take at all. */
export function formulaHtml(tex: string, isBlock: boolean): string | undefined {
  try {
    return katex.renderToString(tex, { ...OPTIONS, displayMode: isBlock });
  } catch {
    return undefined;
  }
}
