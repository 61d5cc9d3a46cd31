const SLUG_LENGTH = 80;
const WORDS_PER_MINUTE = 220;

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

/** Minutes that a reader needs for so many words, at least 1. */
export function readTimeMinutes(words: number): number {
  return Math.max(1, Math.round(words / WORDS_PER_MINUTE));
}

const WORD = /[\p{L}\p{N}_](?:[\p{L}\p{N}\p{M}_\u00ad\u200c\u200d]|['’.:](?=[\p{L}\p{N}]))*/gu;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const wordSegmenter = new Intl.Segmenter('und', { granularity: 'word' });

/** The segmenter takes 2 µs a character, and a time that grows with the square of what it gets at once. */
const PIECE = 500;
const MAX_SEGMENTED = 5_000;

/**
 * Words as `Intl.Segmenter` has them, which is asked only where spaces do not tell. Beyond 5,000 characters of such scripts the words
 * are taken to be as long as before.
 */
export function wordsIn(text: string): number {
  const runs = text.match(WORD) ?? [];
  if (!UNSPACED.test(text)) return runs.length;
  let words = 0;
  let segmented = 0;
  let segmentedWords = 0;
  let rest = 0;
  for (const run of runs) {
    if (!UNSPACED.test(run)) {
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
  // One grapheme may be longer than all that is wanted; then only surrogate pairs are kept together.
  if (end === 0) end = /[\ud800-\udbff]/.test(text[length - 1]!) ? length - 1 : length;
  return text.slice(0, end);
}
