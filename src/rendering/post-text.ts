import anyAscii from 'any-ascii';
import { UNSPACED } from '../common/scripts.js';

const SLUG_LENGTH = 80;
const WORDS_PER_MINUTE = 220;

/**
 * Returns the cosmetic part of a URL: ASCII, at most 80 characters, or `fallback` if the title has no usable character. Transliterates
 * other scripts to Latin letters.
 */
export function slugify(title: string, fallback = 'post'): string {
  const latin = title
    .normalize('NFC')
    // In scripts without spaces, each character is a word, whose transliteration begins with a capital.
    .replace(/[^\x00-\x7f]+/g, (run) => anyAscii(run).replace(/(?<=[a-z])(?=[A-Z])/g, ' '))
    .toLowerCase()
    .replace(/'/g, '');
  const words = latin.match(/[a-z0-9]+/g) ?? [];
  let slug = words.join('-');
  if (slug.length > SLUG_LENGTH) {
    const cut = slug.lastIndexOf('-', SLUG_LENGTH);
    slug = slug.slice(0, cut > SLUG_LENGTH / 2 ? cut : SLUG_LENGTH);
  }
  return slug || fallback;
}

/** Returns the reading time in minutes, at least 1. */
export function readTimeMinutes(words: number): number {
  return Math.max(1, Math.round(words / WORDS_PER_MINUTE));
}

const WORD = /[\p{L}\p{N}_](?:[\p{L}\p{N}\p{M}_\u00ad\u200c\u200d]|['’.:](?=[\p{L}\p{N}]))*/gu;
const HAS_UNSPACED = new RegExp(`[${UNSPACED}]`, 'u');
const wordSegmenter = new Intl.Segmenter('und', { granularity: 'word' });

/** The segmenter takes 2 µs a character, and a time quadratic in the length of its input. */
const PIECE = 500;
const MAX_SEGMENTED = 5_000;

/**
 * Counts words as `Intl.Segmenter` does, but calls the segmenter only for scripts without spaces. Beyond 5,000 such characters,
 * the function extrapolates the average length.
 */
export function wordsIn(text: string): number {
  const runs = text.match(WORD) ?? [];
  if (!HAS_UNSPACED.test(text)) return runs.length;
  let words = 0;
  let segmented = 0;
  let segmentedWords = 0;
  let rest = 0;
  for (const run of runs) {
    if (!HAS_UNSPACED.test(run)) {
      words++;
      continue;
    }
    let at = 0;
    for (; at < run.length && segmented < MAX_SEGMENTED; at += PIECE) {
      const piece = run.slice(at, at + PIECE);
      for (const { isWordLike } of wordSegmenter.segment(piece)) if (isWordLike === true) segmentedWords++;
      segmented += piece.length;
    }
    rest += Math.max(0, run.length - at);
  }
  return words + segmentedWords + Math.round((rest * segmentedWords) / Math.max(1, segmented));
}

const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });
// Below U+0300, nothing combines with its neighbor (except CR LF, which plain text never contains), so a cut needs no segmenter.
const FIRST_COMBINING = 0x300;

/** Returns the longest prefix of at most `length` units that ends at a grapheme boundary. */
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
  // One grapheme may exceed the limit. The cut then preserves only surrogate pairs.
  if (end === 0) end = /[\ud800-\udbff]/.test(text[length - 1]!) ? length - 1 : length;
  return text.slice(0, end);
}
