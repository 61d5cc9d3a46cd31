import fc from 'fast-check';
import { cutWhole, readTimeMinutes, slugify, wordsIn } from './post-text.js';

const graphemes = (text: string) => [...new Intl.Segmenter('und').segment(text)].map((part) => part.segment);

describe('slugify', () => {
  it.each([
    ['Hello, World!', 'hello-world'],
    ["  It's   a *trap*  ", 'its-a-trap'],
    ['Crème brûlée & Straße', 'creme-brulee-strasse'],
    ['Łódź, Đà Nẵng, Ærø', 'lodz-da-nang-aero'],
    ['Война и мир', 'voyna-i-mir'],
    ['Περί ψυχής', 'peri-psychis'],
    ['深層学習', 'shen-ceng-xue-xi'],
    ['हिन्दी ब्लॉग', 'hindi-blog'],
    ['JavaScript 入門', 'javascript-ru-men'],
    ['🎉', 'tada'],
    ['\u{10ffff}', 'post'],
  ])('%s -> %s', (title, slug) => expect(slugify(title)).toBe(slug));

  it('is always a short piece of a URL that needs no escaping', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (title) => {
        expect(slugify(title)).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
        expect(slugify(title).length).toBeLessThanOrEqual(80);
      }),
    );
  });
});

describe('cutWhole', () => {
  it('never ends inside a character, and is as long as possible', () => {
    const units = fc.constantFrom('a', 'é', 'e\u0301', '👩‍👩‍👧‍👦', '🇩🇪', '漢', 'नि', '각', '𝒳', ' ');
    fc.assert(
      fc.property(fc.array(units, { maxLength: 200 }), (parts) => {
        const text = parts.join('');
        const cut = cutWhole(text, 100);
        expect(cut.length).toBeLessThanOrEqual(100);
        const whole = graphemes(text);
        expect(graphemes(cut)).toEqual(whole.slice(0, graphemes(cut).length));
        const next = whole.slice(0, graphemes(cut).length + 1).join('');
        if (cut !== text) expect(next.length).toBeGreaterThan(100);
      }),
    );
  });

  it('keeps its limit for any text, and for one character of a thousand units', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        expect(cutWhole(text, 100).length).toBeLessThanOrEqual(100);
      }),
    );
    expect(cutWhole('a' + '\u0301'.repeat(1500), 700).length).toBe(700);
  });
});

describe('wordsIn', () => {
  it.each([
    ['', 0],
    ["It's snake_case, 3.14 and re-use | -- |", 6],
    ['深層学習の本', 4],
    ['ภาษาไทยง่ายนิดเดียว', 5],
    ['한국어 텍스트', 2],
    ['soft\u00adhyphen 🎉', 1],
  ])('%j', (text, words) => expect(wordsIn(text)).toBe(words));

  // The segmenter alone would take minutes.
  it.each(['漢', '深層学習', 'ไทย', 'a', 'a '])('estimates 200,000 characters of %j from the first ones', (piece) => {
    const times = 200_000 / piece.length;
    const words = wordsIn(piece.repeat(times));
    expect(words / wordsIn(piece.repeat(4_000 / piece.length))).toBeCloseTo(piece === 'a' ? 1 : 50, 0);
  });

  it('counts like Intl.Segmenter', () => {
    const segmenter = new Intl.Segmenter('und', { granularity: 'word' });
    const pieces = fc.constantFrom(
      'engine',
      "don't",
      'été',
      'слово',
      '12',
      '3.5',
      'हिन्दी',
      'العربية',
      '深層',
      'データ',
      '각',
      'ไทย',
    );
    const gaps = fc.constantFrom(' ', '\n', ', ', ' -- ', '; ', ' | ', ' (', '! ');
    fc.assert(
      fc.property(fc.array(fc.tuple(pieces, gaps), { maxLength: 40 }), (parts) => {
        const text = parts.flat().join('');
        const counted = [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike).length;
        expect(wordsIn(text)).toBe(counted);
      }),
    );
  });
});

describe('readTimeMinutes', () => {
  it('is never zero', () => expect([0, 1, 2_200].map(readTimeMinutes)).toEqual([1, 1, 10]));
});
