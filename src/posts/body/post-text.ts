import { plainText } from './markdown-text.js';

/** The longest preview, in UTF-16 units: no reader counts more characters than that in it. */
export const PREVIEW_LENGTH = 700;

const SLUG_LENGTH = 80;
const WORDS_PER_MINUTE = 220;
const IDEOGRAPHS_PER_MINUTE = 400;

// Letters NFKD cannot take apart, and two alphabets whose readers expect a Latin address.
const LETTERS: Record<string, string> = Object.fromEntries(
  (
    'ß:ss æ:ae œ:oe ø:o ł:l đ:d ð:d þ:th ı:i ' +
    'а:a б:b в:v г:g ґ:g д:d е:e є:ye ж:zh з:z и:i і:i к:k л:l м:m н:n о:o п:p р:r с:s т:t у:u ф:f х:kh ц:ts ч:ch ш:sh щ:shch ъ: ы:y ь: э:e ю:yu я:ya ' +
    'α:a β:v γ:g δ:d ε:e ζ:z η:i θ:th ι:i κ:k λ:l μ:m ν:n ξ:x ο:o π:p ρ:r σ:s ς:s τ:t υ:y φ:f χ:ch ψ:ps ω:o'
  )
    .split(' ')
    .map((pair) => pair.split(':') as [string, string]),
);

/** The cosmetic part of an address: ASCII, at most 80 characters, `fallback` where the title gives nothing to write. */
export function slugify(title: string, fallback = 'post'): string {
  const latin = title
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/['’ʼ]/g, '')
    .replace(/[^\x00-\x7f]/g, (letter) => LETTERS[letter] ?? ' ');
  const words = latin.match(/[a-z0-9]+/g) ?? [];
  let slug = words.join('-');
  if (slug.length > SLUG_LENGTH) {
    const cut = slug.lastIndexOf('-', SLUG_LENGTH);
    slug = slug.slice(0, cut > SLUG_LENGTH / 2 ? cut : SLUG_LENGTH);
  }
  return slug || fallback;
}

/** The first 700 characters of a Markdown text without its markup, cut between two whole characters. */
export function preview(markdown: string): string {
  return cutWhole(plainText(markdown, PREVIEW_LENGTH + 1), PREVIEW_LENGTH).trimEnd();
}

/** Minutes a reader needs, at least 1. */
export function readTimeMinutes(markdown: string): number {
  const { words, ideographs } = countWords(markdown);
  return Math.max(1, Math.round(words / WORDS_PER_MINUTE + ideographs / IDEOGRAPHS_PER_MINUTE));
}

/** Words of a text; an ideograph is one. */
export function wordsIn(text: string): number {
  const { words, ideographs } = countWords(text);
  return words + ideographs;
}

/** Ideographs are counted one by one: they are written without spaces. */
function countWords(text: string): { words: number; ideographs: number } {
  let words = 0;
  let ideographs = 0;
  let isInWord = false;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0x3040 && isIdeograph(unit)) {
      ideographs++;
      isInWord = false;
    } else if (isBreak(unit)) {
      isInWord = false;
    } else if (!isInWord) {
      words++;
      isInWord = true;
    }
  }
  return { words, ideographs };
}

const isIdeograph = (unit: number): boolean =>
  unit <= 0x30ff || (unit >= 0x3400 && unit <= 0x9fff) || (unit >= 0xf900 && unit <= 0xfaff);

const isBreak = (unit: number): boolean => unit <= 0x20 || unit === 0xa0 || (unit >= 0x2000 && unit <= 0x206f);

const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });
// Below U+0300 nothing combines with its neighbour (CR LF apart, which plain text never holds), so a cut there needs no segmenter.
const FIRST_COMBINING = 0x300;

/** The longest prefix of at most `length` units that ends between two graphemes. */
export function cutWhole(text: string, length: number): string {
  if (text.length <= length) return text;
  const isCutSafe = (at: number) => text.charCodeAt(at - 1) < FIRST_COMBINING && text.charCodeAt(at) < FIRST_COMBINING;
  if (isCutSafe(length)) return text.slice(0, length);

  let start = length - 1;
  while (start > 0 && !isCutSafe(start)) start--;
  let end = start;
  for (const { index, segment } of segmenter.segment(text.slice(start))) {
    if (start + index + segment.length > length) break;
    end = start + index + segment.length;
  }
  // One grapheme may be longer than the whole preview; then only surrogate pairs are kept together.
  if (end === 0) end = /[\ud800-\udbff]/.test(text[length - 1]!) ? length - 1 : length;
  return text.slice(0, end);
}
