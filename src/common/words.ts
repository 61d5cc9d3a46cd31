import { UNSPACED } from './scripts.js';

/** Further words of a query or phrase are ignored. The first words of a pasted title are enough to find the post. */
const MAX_QUERY_WORDS = 12;
const MAX_WORD = 64;

// Optional line breaks, joiners, marks of direction and other characters that browsers do not show, and users do not type.
const INVISIBLE = String.raw`\p{Default_Ignorable_Code_Point}\p{Cf}`;
const INVISIBLE_SIGNS = new RegExp(String.raw`[${INVISIBLE}]|(?!\s)\p{Cc}`, 'gu');
const C_PLUS_PLUS_OR_SHARP = String.raw`[A-Za-z](?:\+\+|#)(?![\p{L}\p{N}])`;
const CONTRACTION = String.raw`[A-Za-z]{1,8}n['’]t(?![\p{L}\p{N}\p{M}])`;
const GROUPED_NUMBER = String.raw`\d{1,3}(?:,\d{3})+(?!\d)`;
// A mark without a letter, such as the selector after an emoji, is not a word.
const PLAIN_RUN = String.raw`[\p{L}\p{N}][\p{L}\p{N}\p{M}${INVISIBLE}]*`;
const RUN = new RegExp([C_PLUS_PLUS_OR_SHARP, CONTRACTION, GROUPED_NUMBER, PLAIN_RUN].join('|'), 'gu');
/** Most words need no further test. */
const PLAIN = /^[a-z\d]+$/;
const SIGNS = /[+#'’,]/g;
// The index splits words at the ASCII forms.
const WORD_SIGNS: Record<string, string> = { '+': '＋', '#': '＃' };
// In scripts without spaces, each character is a word, and a run of characters is a phrase.
const PIECE = new RegExp(`[${UNSPACED}]\\p{M}*|[^${UNSPACED}]+`, 'gu');
// Folding splits the vowel AM of Thai and Lao into two characters, of which the first is a mark of the preceding letter, and makes
// marks of the voice signs of narrow Katakana.
const RAW_PIECE = new RegExp(`[${UNSPACED}](?:\\p{M}|[\\u0e33\\u0eb3ﾞﾟ${INVISIBLE}])*|[^${UNSPACED}]+`, 'gu');
const HAS_UNSPACED = new RegExp(`[${UNSPACED}]`, 'u');
// Accents of Latin, Greek and Cyrillic, vowel points of Hebrew (except its hyphen) and Arabic, and variation selectors. The vowel signs of
// other scripts are letters.
const POINTS =
  /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u065f\u0670\u20d0-\u20ff\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu;
const LIGATURES: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ς: 'σ',
};

/** One word, or several words in this order. `isPrefix`: the last word may continue. */
export type Term = { words: string[]; isPrefix: boolean };

/** Returns the canonical spelling of indexed texts and queries: no case, no accents, no compatibility forms. */
export function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  const plain = text.normalize('NFKD').replace(POINTS, '').replace(INVISIBLE_SIGNS, '').toLowerCase();
  return plain.replace(/[ßæœøłđðþıς]/g, (letter) => LIGATURES[letter]!).normalize('NFC');
}

/** Returns the words of a text in order. The index splits at spaces only, so this function alone defines a word. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const run of fold(text).match(RUN) ?? []) {
    if (PLAIN.test(run)) words.push(cutWord(run));
    else if (isAscii(run) || !HAS_UNSPACED.test(run)) words.push(cutWord(withoutSigns(run)));
    else for (const [piece] of run.matchAll(PIECE)) words.push(cutWord(piece));
  }
  return words;
}

/**
 * Returns the terms of a query. Quotes make a phrase; all other signs are spaces, so no query has syntax. The last word may be unfinished,
 * unless it is quoted, a single letter or of a script whose characters are words.
 */
export function termsOf(query: string): Term[] {
  const terms: Term[] = [];
  const parts = query.replace(/[“”„«»＂]/g, '"').split('"');
  // An unpaired quote is a space.
  if (parts.length % 2 === 0) parts.splice(-2, 2, `${parts.at(-2)} ${parts.at(-1)}`);
  parts.forEach((part, at) => {
    const isQuoted = at % 2 === 1;
    for (const run of isQuoted ? [part] : (fold(part).match(RUN) ?? [])) {
      const words = wordsOf(run);
      const last = words.at(-1) ?? '';
      if (words.length > 0) terms.push({ words, isPrefix: !isQuoted && last.length > 1 && !HAS_UNSPACED.test(last) });
    }
  });
  const last = terms.at(-1);
  const kept: Term[] = [];
  for (let left = MAX_QUERY_WORDS; left > 0 && kept.length < terms.length;) {
    const term = terms[kept.length]!;
    const words = term.words.slice(0, left);
    left -= words.length;
    kept.push({ words, isPrefix: term.isPrefix && term === last && words.length === term.words.length });
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
    for (const [piece] of HAS_UNSPACED.test(match[0]) ? match[0].matchAll(RAW_PIECE) : [match]) {
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

function isAscii(text: string): boolean {
  return /^[\t-\r -~]*$/.test(text);
}
