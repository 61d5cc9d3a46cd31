/** characters that start or end an inline element */
const INLINE = /[\\`*_[\]~|$!{}]/g;
/** characters that turn a line into a heading, quote, list, rule or table */
const LINE_START = /^([ \t]*)([#>+\-=:]|\d{1,9}(?=[.)]))/gm;

/** Escapes plain text so that Markdown renders it unchanged, with or without raw HTML. */
export function escapeMarkdown(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replace(INLINE, '\\$&')
    .replace(LINE_START, (_, space: string, sign: string) =>
      /\d/.test(sign) ? `${space}${sign}\\` : `${space}\\${sign}`,
    );
}
