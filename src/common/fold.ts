import anyAscii from 'any-ascii';
import { HEBREW } from './scripts.js';

/** Optional line breaks, joiners, marks of direction and other characters that browsers do not show, and users do not type. */
export const INVISIBLE = String.raw`\p{Default_Ignorable_Code_Point}\p{Cf}`;
// The vowel signs of other scripts are letters, and the voice marks of Kana make other letters.
const POINTS = String.raw`[[\p{M}&&[\p{sc=Inherited}\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}]]--\p{scx=Hiragana}]`;
/** Marks of borrowed sounds, which texts often omit. No property of regular expressions has them. */
const NUKTA = String.raw`\u093c\u09bc\u0a3c\u0abc\u0b3c\u0c3c\u0cbc\u{110ba}\u{11173}\u{114c3}\u{115c0}\u{116b7}\u{1e94a}`;
// Tatweel only stretches a word.
const OMITTED = new RegExp(String.raw`[${POINTS}${NUKTA}${INVISIBLE}[\p{Cc}--\s]ـ]`, 'gv');
/** The marks of Hebrew acronyms and foreign sounds, for which keyboards have quotes. */
export const GERSHAYIM = String.raw`["'״׳“”„‘’](?=[${HEBREW}])(?<=[${HEBREW}].)`;
const GERSHAYIM_SIGNS = new RegExp(GERSHAYIM, 'gu');

/** Letters and signs with more than one spelling in use, beside digits and Latin letters. */
const LETTERS: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...'ʹʻʼʽʾʿ‘’‛′'].map((sign) => [sign, "'"])),
  // Persian, Urdu, Kurdish and Arabic keyboards
  ...{ ی: 'ي', ى: 'ي', ک: 'ك', ڪ: 'ك', ہ: 'ه', ھ: 'ه', ە: 'ه', ة: 'ه', ۃ: 'ه', ٱ: 'ا', '٬': ',' },
  ...{ ς: 'σ', ŋ: 'n' },
};
const SPELLED = new RegExp(String.raw`[${Object.keys(LETTERS).join('')}[[\p{Nd}\p{sc=Latin}]--[0-9A-Za-z]]]`, 'gv');
/** Spellings by letter, filled on first use. */
const spellings = new Map(Object.entries(LETTERS));

/**
 * Returns the canonical spelling of texts, queries, rules and filters: no case, accents, compatibility forms and invisible characters,
 * ASCII digits, and one letter where keyboards of a script have several.
 */
export function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  const plain = text.normalize('NFKD').replace(OMITTED, '').toLowerCase();
  return plain.replace(SPELLED, spellingOf).replace(GERSHAYIM_SIGNS, '').normalize('NFC');
}

/** Whether a text has only printable ASCII characters and white space. */
export function isAscii(text: string): boolean {
  return /^[\t-\r -~]*$/.test(text);
}

function spellingOf(letter: string): string {
  let spelling = spellings.get(letter);
  if (spelling === undefined)
    spellings.set(letter, (spelling = /\p{Nd}/u.test(letter) ? digitOf(letter) : latinOf(letter)));
  return spelling;
}

/** Unicode encodes the digits of a script side by side, in ascending order. */
function digitOf(letter: string): string {
  const code = letter.codePointAt(0)!;
  let zero = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
  return String((code - zero) % 10);
}

function latinOf(letter: string): string {
  return (
    anyAscii(letter)
      .toLowerCase()
      .replace(/[^a-z]/g, '') || letter
  );
}
