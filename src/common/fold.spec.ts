import fc from 'fast-check';
import { growth, LINEAR } from '../../test/support/growth.js';
import { fold } from './fold.js';
import { UNSPACED } from './scripts.js';

const codePoints = (pattern: RegExp): string[] =>
  Array.from({ length: 0x2_0000 }, (_, code) => String.fromCodePoint(code)).filter((letter) => pattern.test(letter));

describe('the canonical spelling', () => {
  it.each([
    ['کی', 'كي'],
    ['٢٠٢٦', '2026'],
    ['oʻzbek', "o'zbek"],
    ['Ħəŧŋ', 'hetn'],
    ['ज़', 'ज'],
    ['がっき', 'がっき'],
    ['हिन्दी', 'हिन्दी'],
  ])('of %j is %j', (text, folded) => expect(fold(text)).toBe(folded));

  it('of a digit has the value that the number systems of Unicode give it', () => {
    const digits = '0123456789';
    for (const system of Intl.supportedValuesOf('numberingSystem')) {
      const local = new Intl.NumberFormat(`en-u-nu-${system}`, { useGrouping: false, minimumIntegerDigits: 10 });
      const text = local.format(123_456_789);
      if (/^\p{Nd}{10}$/u.test(text)) expect([system, fold(text)]).toEqual([system, digits]);
    }
    for (const digit of codePoints(/\p{Nd}/u)) expect(fold(digit)).toMatch(/^[0-9]$/);
  });

  it('of a Latin letter has ASCII letters, except clicks and other signs of phonetics', () => {
    const others = codePoints(/(?=\p{sc=Latin})\p{L}/u).filter((letter) => !/^[a-z']+$/.test(fold(letter)));
    expect(others.length).toBeLessThan(60);
    expect(others.filter((letter) => letter < '\u0180')).toEqual(['Ŀ', 'ŀ']);
  });

  it('has no character that browsers do not show', () => {
    for (const sign of codePoints(/\p{Default_Ignorable_Code_Point}|(?!\s)\p{Cc}/u))
      expect(fold(`a${sign}b`)).toBe('ab');
  });

  it('is its own canonical spelling', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => expect(fold(fold(text))).toBe(fold(text))),
      {
        numRuns: 1_000,
      },
    );
  });

  it.each(['é', 'ی', '٣', 'ħ', 'ש"', '\u200b', '\u093c', '한'])('takes linear time of many %j', (piece) => {
    expect(growth(24_000, (length) => fold(piece.repeat(length / piece.length)))).toBeLessThan(LINEAR);
  });
});

describe('the scripts without spaces', () => {
  it('have no letter of Latin, Greek, Cyrillic, Arabic, Hebrew, Indic scripts and Korean', () => {
    const spaced =
      'Latin Greek Cyrillic Arabic Hebrew Armenian Georgian Ethiopic Devanagari Bengali Tamil Telugu Hangul'.split(' ');
    for (const script of spaced)
      for (const letter of codePoints(new RegExp(`\\p{sc=${script}}`, 'u')))
        expect([letter, new RegExp(`[${UNSPACED}]`, 'u').test(letter)]).toEqual([letter, false]);
  });
});
