import katex from 'katex';

/** Forbids links, images and attributes of the author, and limits macro expansion and sizes. */
const OPTIONS = { trust: false, maxExpand: 1_000, maxSize: 50, strict: 'ignore', throwOnError: false } as const;

/** The maximum size in the HTML. KaTeX itself draws roots and arrows that are 400 em wide. */
const MAX_EM = 500;
/** The maximum of negative space, which moves the following text over the text before. */
const MAX_PULLED_EM = 50;

/** Returns the HTML of a formula (of an invalid one: its source). Returns undefined beyond the limits of KaTeX or of a page. */
export function formulaHtml(tex: string, isBlock: boolean): string | undefined {
  try {
    const html = katex.renderToString(tex, { ...OPTIONS, displayMode: isBlock });
    return breaksPage(html) ? undefined : html;
  } catch {
    return undefined;
  }
}

/** KaTeX limits only positive sizes. Negative sizes and sums could make a formula a hundred pages high, or cover the text around it. */
function breaksPage(html: string): boolean {
  let pulled = 0;
  for (const [, pull, size] of html.matchAll(/(margin-(?:left|right):-)?(?<![\d.])(\d+(?:\.\d+)?)em\b/g)) {
    if (Number(size) > MAX_EM) return true;
    if (pull !== undefined) pulled += Number(size);
  }
  return pulled > MAX_PULLED_EM || leavesLine(html);
}

/** Whether a part extends further above or below than the line of the formula reserves. */
function leavesLine(html: string): boolean {
  const shifts = [0];
  let room = 0;
  for (const [tag, isEnd] of html.matchAll(/<(\/)?(?:span|svg)\b[^>]*>/g)) {
    if (isEnd !== undefined) {
      shifts.pop();
      continue;
    }
    const shift = shifts.at(-1)!;
    if (tag.includes('class="strut"')) room = Math.max(room, sizeOf(tag, 'height'));
    // A strut of this height begins each part of a stack.
    else if (tag.includes('class="pstrut"')) shifts[shifts.length - 1] = shift + sizeOf(tag, 'height');
    shifts.push(shift + (tag.includes('strut"') ? 0 : sizeOf(tag, 'top') - sizeOf(tag, 'bottom')));
    if (Math.abs(shifts.at(-1)!) > room + MAX_PULLED_EM) return true;
  }
  return false;
}

function sizeOf(tag: string, property: string): number {
  return Number(new RegExp(String.raw`[";]${property}:(-?\d+(?:\.\d+)?)em`).exec(tag)?.[1] ?? 0);
}
