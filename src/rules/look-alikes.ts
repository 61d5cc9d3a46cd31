/** Cyrillic and Greek letters that look like Latin letters, in lower case. */
const LETTERS: Record<string, string> = {
  ...{
    а: 'a',
    е: 'e',
    о: 'o',
    р: 'p',
    с: 'c',
    у: 'y',
    х: 'x',
    і: 'i',
    ѕ: 's',
    ј: 'j',
    ԁ: 'd',
    һ: 'h',
    ԛ: 'q',
    ԝ: 'w',
    ӏ: 'l',
  },
  ...{ ο: 'o', α: 'a', ι: 'i', ρ: 'p', υ: 'u', ν: 'v', χ: 'x' },
};
/** Further letters that look like Latin letters in upper case, or in italics. */
const IN_LATIN_WORDS: Record<string, string> = {
  ...LETTERS,
  ...{ к: 'k', м: 'm', т: 't', в: 'b', н: 'h', п: 'n', ь: 'b', г: 'r' },
  ...{ β: 'b', γ: 'y', ε: 'e', η: 'n', κ: 'k', τ: 't', ω: 'w', σ: 'o', μ: 'u' },
};
const DIGITS: Record<string, string> = { '0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't' };

const LOOKS_LATIN = new RegExp(`^[${Object.keys(LETTERS).join('')}]+$`);

/**
 * Returns a folded word with Latin letters in place of look-alikes. A word of another script changes only if each of its letters is a
 * look-alike, so that Greek and Cyrillic words match no Latin ones. Digits are letters in words with at least two Latin letters.
 */
export function skeletonOf(word: string): string {
  if (/^[a-z]+$/.test(word)) return word;
  if (!/[a-z]/.test(word)) return LOOKS_LATIN.test(word) ? mapped(word, LETTERS) : word;
  const letters = mapped(word, IN_LATIN_WORDS);
  return /[a-z].*[a-z]/.test(letters) ? mapped(letters, DIGITS) : letters;
}

function mapped(word: string, table: Record<string, string>): string {
  return [...word].map((letter) => table[letter] ?? letter).join('');
}
