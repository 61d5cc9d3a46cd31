// Every pattern below is linear in the length of a line; the lint rules for regular expressions hold them to it.
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const MATH_FENCE = /^ {0,3}(?:\$\$|\\\[)/;
const RULE = /^ {0,3}(?:[-*_=][ \t]*){3,}$/;
const TABLE_RULE = /^[ \t]*(?:\|[ \t]*)?:?--[-:| \t]*$/;
const LINK_DEFINITION = /^ {0,3}\[[^\]]{1,200}\]:/;
const BLOCK_MARKERS =
  /^[ \t]*(?:(?:>|#{1,6}(?=[ \t]|$)|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])|\[[ xX]\](?=[ \t]))[ \t]*)+/;

// A line longer than this only costs time: a preview needs the beginning.
const LINE_LENGTH = 4000;

/**
 * The readable text of a Markdown document on one line, without markup, code blocks and display formulas. Stops after the
 * block that brings it to `enough` units. A document that holds nothing but code answers with the code.
 */
export function plainText(markdown: string, enough: number): string {
  return collect(markdown, enough, false) || collect(markdown, enough, true);
}

function collect(markdown: string, enough: number, isCodeKept: boolean): string {
  let text = '';
  let fence = '';
  for (const line of lines(markdown)) {
    if (fence) {
      const isEnd = fence === '$' ? /\$\$|\\\]/.test(line) : line.trimStart().startsWith(fence);
      if (isEnd) fence = '';
      else if (isCodeKept) text = append(text, line);
    } else if (FENCE.test(line)) {
      fence = FENCE.exec(line)![1]!;
    } else if (MATH_FENCE.test(line)) {
      if (!/(?:\$\$|\\\])/.test(line.trimStart().slice(2))) fence = '$';
      if (isCodeKept) text = append(text, line);
    } else if (!RULE.test(line) && !TABLE_RULE.test(line) && !LINK_DEFINITION.test(line)) {
      text = append(text, inlineText(line.replace(BLOCK_MARKERS, '')));
    }
    if (text.length >= enough) break;
  }
  return text;
}

function append(text: string, piece: string): string {
  const clean = piece.replace(/\s+/g, ' ').trim();
  if (!clean) return text;
  return text ? `${text} ${clean}` : clean;
}

/** Lines without the white space at their ends, one at a time: a preview of 15 kB must not split all of it. */
function* lines(markdown: string): Generator<string> {
  let start = 0;
  while (start < markdown.length) {
    let end = markdown.indexOf('\n', start);
    if (end < 0) end = markdown.length;
    yield markdown.slice(start, Math.min(end, start + LINE_LENGTH)).trimEnd();
    start = end + 1;
  }
}

function inlineText(line: string): string {
  if (!/[\\`*_~<[\]|]/.test(line)) return line;
  // An escaped character is put aside as a private-use one, so that the rules below cannot take it for markup.
  return line
    .replace(/[\ue000-\ue07f]/g, '')
    .replace(/\\([!-/:-@[-`{-~])/g, (_, mark: string) => String.fromCharCode(0xe000 + mark.charCodeAt(0)))
    .replace(/<((?:https?:|mailto:)[^<>\s]{1,500})>/g, '$1')
    .replace(/<\/?[a-zA-Z][^<>]{0,500}>/g, '')
    .replace(/!?\[([^[\]]{0,500})\](?:\([^()]{0,1000}\)|\[[^[\]]{0,200}\])/g, '$1')
    .replace(/`+|\*+|~~/g, '')
    .replace(/(^|[^\p{L}\p{N}_])_+(?=[\p{L}\p{N}])/gu, '$1')
    .replace(/([\p{L}\p{N}.,!?)])_+(?![\p{L}\p{N}_])/gu, '$1')
    .replaceAll('|', ' ')
    .replace(/[\ue000-\ue07f]/g, (mark) => String.fromCharCode(mark.charCodeAt(0) - 0xe000));
}
