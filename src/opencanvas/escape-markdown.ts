/** Signs that begin or end an element within a line. */
const WITHIN_A_LINE = /[\\`*_[\]~|$!{}]/g;
/** Signs that make a line a heading, a quote, a list, a rule or a table. */
const AT_ITS_BEGINNING = /^([ \t]*)([#>+\-=:]|\d{1,9}(?=[.)]))/gm;

/** Plain text that Markdown, with raw HTML or without, shows as it is. */
export function escapeMarkdown(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replace(WITHIN_A_LINE, '\\$&')
    .replace(AT_ITS_BEGINNING, (_, space: string, sign: string) =>
      /\d/.test(sign) ? `${space}${sign}\\` : `${space}\\${sign}`,
    );
}
