import katex from 'katex';

/** No links, no images, no attributes of the author; macros end, and no size is larger. */
const OPTIONS = { trust: false, maxExpand: 1_000, maxSize: 50, strict: 'ignore', throwOnError: false } as const;

/** What sizes add up to; KaTeX itself draws roots and arrows that are 400 em wide. */
const MAX_EM = 500;
/** Negative space all together: it moves what follows over what stands before. */
const MAX_PULLED_EM = 50;

/** HTML of a formula; one that is wrong is shown as it was written. Undefined for what KaTeX cannot take, or a page cannot hold. */
export function formulaHtml(tex: string, isBlock: boolean): string | undefined {
  try {
    const html = katex.renderToString(tex, { ...OPTIONS, displayMode: isBlock });
    return breaksPage(html) ? undefined : html;
  } catch {
    return undefined;
  }
}

/** KaTeX bounds sizes above alone: below zero, and in their sum, a formula may be as high as a hundred pages, or lie upon the text before it. */
function breaksPage(html: string): boolean {
  let pulled = 0;
  for (const [, pull, size] of html.matchAll(/(margin-(?:left|right):-)?(?<![\d.])(\d+(?:\.\d+)?)em\b/g)) {
    if (Number(size) > MAX_EM) return true;
    if (pull !== undefined) pulled += Number(size);
  }
  return pulled > MAX_PULLED_EM;
}
