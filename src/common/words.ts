import { fold, GERSHAYIM, INVISIBLE, isAscii } from './fold.js';
import { HANGUL, UNSPACED } from './scripts.js';

/** Further words of a query or phrase are ignored. The first words of a pasted title are enough to find the post. */
const MAX_QUERY_WORDS = 12;
const MAX_WORD = 64;

const C_PLUS_PLUS_OR_SHARP = String.raw`[A-Za-z](?:\+\+|#)(?![\p{L}\p{N}])`;
const CONTRACTION = String.raw`[A-Za-z]{1,8}n['’]t(?![\p{L}\p{N}\p{M}])`;
const GROUPED_NUMBER = String.raw`\p{Nd}{1,3}(?:[,٬]\p{Nd}{3})+(?!\p{Nd})`;
// A mark without a letter, such as the selector after an emoji, is not a word.
const OF_WORD = String.raw`[\p{L}\p{N}\p{M}${INVISIBLE}]`;
const PLAIN_RUN = String.raw`[\p{L}\p{N}]${OF_WORD}*(?:${GERSHAYIM}${OF_WORD}+)*`;
const RUN = new RegExp([C_PLUS_PLUS_OR_SHARP, CONTRACTION, GROUPED_NUMBER, PLAIN_RUN].join('|'), 'gu');
/** Most words need no further test. */
const PLAIN = /^[a-z\d]+$/;
const SIGNS = /[+#'’,]/g;
// The index splits words at the ASCII forms.
const WORD_SIGNS: Record<string, string> = { '+': '＋', '#': '＃' };
// In scripts without spaces, each character is a word, and a run of characters is a phrase. Korean particles follow words of any script.
const PIECE = new RegExp(`[${UNSPACED}]\\p{M}*|[${HANGUL}][${HANGUL}\\p{M}]*|[^${UNSPACED}${HANGUL}]+`, 'gu');
// Folding splits the vowel AM of Thai and Lao into two characters, of which the first is a mark of the preceding letter, and makes
// marks of the voice signs of narrow Katakana.
const RAW_PIECE = new RegExp(
  `[${UNSPACED}](?:\\p{M}|[\\u0e33\\u0eb3ﾞﾟ${INVISIBLE}])*|[${HANGUL}][${HANGUL}\\p{M}${INVISIBLE}]*|[^${UNSPACED}${HANGUL}]+`,
  'gu',
);
const HAS_PIECES = new RegExp(`[${UNSPACED}${HANGUL}]`, 'u');
const HAS_UNSPACED = new RegExp(`[${UNSPACED}]`, 'u');
const ONLY_HANGUL = new RegExp(`^[${HANGUL}]+$`, 'u');
const HAS_HANGUL = new RegExp(`[${HANGUL}]`, 'u');
const GERSHAYIM_SIGNS = new RegExp(GERSHAYIM, 'gu');

/** One word, or several words in this order. `isPrefix`: the last word may continue. */
export type Term = { words: string[]; isPrefix: boolean };

/** Returns the words of a text in order. The index splits at spaces only, so this function alone defines a word. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const run of fold(text).match(RUN) ?? []) {
    if (PLAIN.test(run)) words.push(cutWord(run));
    else if (isAscii(run) || !HAS_PIECES.test(run)) words.push(cutWord(withoutSigns(run)));
    else if (ONLY_HANGUL.test(run)) words.push(cutWord(run));
    else for (const piece of run.match(PIECE)!) words.push(cutWord(piece));
  }
  return words;
}

/** Returns the words that rules and filters compare. Particles are a part of a Korean word, so its syllables are compared. */
export function comparedWordsOf(text: string): string[] {
  return wordsOf(text).flatMap((word) => (HAS_HANGUL.test(word) ? [...word] : word));
}

/**
 * Returns the terms of a query. Quotes make a phrase; all other signs are spaces, so no query has syntax. The last word may be unfinished,
 * unless it is quoted, a single letter or of a script whose characters are words. A Korean word may always have further particles.
 */
export function termsOf(query: string): Term[] {
  const terms: Term[] = [];
  const parts = query
    .replace(GERSHAYIM_SIGNS, '')
    .replace(/[“”„«»＂]/g, '"')
    .split('"');
  // An unpaired quote is a space.
  if (parts.length % 2 === 0) parts.splice(-2, 2, `${parts.at(-2)} ${parts.at(-1)}`);
  parts.forEach((part, at) => {
    const isQuoted = at % 2 === 1;
    for (const run of isQuoted ? [part] : (fold(part).match(RUN) ?? [])) {
      const words = wordsOf(run);
      const last = words.at(-1) ?? '';
      const isOpen = HAS_HANGUL.test(last) || (!isQuoted && last.length > 1 && !HAS_UNSPACED.test(last));
      if (words.length > 0) terms.push({ words, isPrefix: isOpen });
    }
  });
  const last = terms.at(-1);
  const kept: Term[] = [];
  for (let left = MAX_QUERY_WORDS; left > 0 && kept.length < terms.length;) {
    const term = terms[kept.length]!;
    const words = term.words.slice(0, left);
    left -= words.length;
    const isOpen = term === last || HAS_HANGUL.test(words.at(-1)!);
    kept.push({ words, isPrefix: term.isPrefix && isOpen && words.length === term.words.length });
  }
  return kept;
}

/** Returns the canonical spelling of a query, for cache keys. */
export function queryOf(terms: readonly Term[]): string {
  return terms.map(({ words }) => (words.length === 1 ? words[0]! : `"${words.join(' ')}"`)).join(' ');
}

/** Whether spelling correction applies to a word. Short words have too many neighbors. */
export function isSpellable(word: string): boolean {
  return word.length >= 4 && word.length <= 32 && !/\p{N}/u.test(word) && !HAS_UNSPACED.test(word);
}

/** Returns the positions of a query's words in a text: half-open ranges in UTF-16 units, ascending. */
export function findTerms(text: string, terms: readonly Term[], most: number): { start: number; end: number }[] {
  const whole = new Set(terms.flatMap(({ words, isPrefix }) => (isPrefix ? words.slice(0, -1) : words)));
  const prefixes = terms.flatMap(({ words, isPrefix }) => (isPrefix ? [words.at(-1)!] : []));
  const found: { start: number; end: number }[] = [];
  for (const match of text.matchAll(RUN)) {
    if (found.length >= most) break;
    let start = match.index;
    for (const [piece] of HAS_PIECES.test(match[0]) ? match[0].matchAll(RAW_PIECE) : [match]) {
      const words = wordsOf(piece);
      const isTerm = (word: string) => whole.has(word) || prefixes.some((prefix) => word.startsWith(prefix));
      const isFound = HAS_UNSPACED.test(piece) ? words.length > 0 && words.every(isTerm) : words.some(isTerm);
      const previous = found.at(-1);
      // Adjacent characters of a script without spaces form one range.
      if (isFound && previous?.end === start) previous.end = start + piece.length;
      else if (isFound && found.length < most) found.push({ start, end: start + piece.length });
      start += piece.length;
    }
  }
  return found;
}

function withoutSigns(run: string): string {
  return run.replace(SIGNS, (sign) => WORD_SIGNS[sign] ?? '');
}

/** Truncates a word without splitting a surrogate pair. */
function cutWord(word: string): string {
  if (word.length <= MAX_WORD) return word;
  return word.slice(0, MAX_WORD).replace(/[\ud800-\udbff]$/, '');
}
