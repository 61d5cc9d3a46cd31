import fc from 'fast-check';
import { growth, LINEAR } from '../../test/support/growth.js';
import { fold } from '../common/fold.js';
import { wordsOf } from '../common/words.js';
import { keyOf, type Phrase, PhraseMatcher } from './phrase-matcher.js';

const phraseOf = (phrase: string, fields: Partial<Phrase> = {}): Phrase => {
  return { id: phrase, phrase, isWholeWord: true, action: 'warn', endsAt: Infinity, ...fields };
};
const matches = (text: string, phrase: string, fields: Partial<Phrase> = {}): boolean =>
  new PhraseMatcher([phraseOf(phrase, fields)]).match(text).length > 0;

/** Texts in which words, parts of words and phrases repeat. */
const text = fc
  .array(fc.constantFrom('and', 'sand', 'an', 'd', 'Ánd', 'c++', '学', '習', '🎉', ' ', ' ', '\n', '.', 'e\u0301'))
  .map((pieces) => pieces.join(''));
const phrase = fc.oneof(text, fc.string({ unit: 'grapheme' })).filter((candidate) => keyOf(candidate) !== '');

describe('a phrase', () => {
  it.each([
    ['sand and sea', 'and', true],
    ['sand, sandy, Andes', 'and', false],
    ['AND: the end', 'and', true],
    ['Un café.', 'CAFE', true],
    ['ｆｕｌｌ width', 'Full', true],
    ['the season\nFINALE!', 'season finale', true],
    ['a season without a finale', 'season finale', false],
    ['season, finale', 'season-finale', true],
    ['I like C++ more', 'c++', true],
    ['I like C more', 'c++', false],
    ['機械学習の話', '学習', true],
    ['서울에서 만나요', '서울', true],
    ['كتاب ٢٠٢٦', 'کتاب ۲۰۲۶', true],
    ['सड़क', 'सडक', true],
    ['Well 🎉🎉', '🎉', true],
    ['Well.', '🎉', false],
    ['spo\u00adiler', 'spoiler', true],
  ])('of whole words: %j, %j: %s', (given, wanted, isFound) => expect(matches(given, wanted)).toBe(isFound));

  it.each([
    ['sand', 'and', true],
    ['Sandy', 'AND', true],
    ['the season\n  finale', 'season finale', true],
    ['s and', 'sand', false],
    ['décafé', 'cafe', true],
  ])('of any part: %j, %j: %s', (given, wanted, isFound) =>
    expect(matches(given, wanted, { isWholeWord: false })).toBe(isFound),
  );

  it('of whole words is found exactly if the text has its words in this order, next to each other', () => {
    fc.assert(
      fc.property(text, phrase, (given, wanted) => {
        const [words, found] = [wordsOf(given), wordsOf(wanted)];
        fc.pre(found.length > 0);
        const isAt = (start: number): boolean => found.every((word, at) => words[start + at] === word);
        expect(matches(given, wanted)).toBe(words.some((_, start) => isAt(start)));
      }),
    );
  });

  it('of any part is found exactly if the text has its letters, with any white space between them', () => {
    fc.assert(
      fc.property(text, phrase, (given, wanted) => {
        const plain = (any: string): string => fold(any).split(/\s+/).join(' ');
        expect(matches(given, wanted, { isWholeWord: false })).toBe(plain(given).includes(plain(wanted).trim()));
      }),
    );
  });

  it('is found between other words, and not across two texts', () => {
    fc.assert(
      fc.property(phrase, fc.boolean(), (wanted, isWholeWord) => {
        expect(matches(`One ${wanted} two.`, wanted, { isWholeWord })).toBe(true);
      }),
    );
    const matcher = new PhraseMatcher([phraseOf('season finale'), phraseOf('n f', { isWholeWord: false })]);
    expect(matcher.match('The season', 'finale')).toEqual([]);
    expect(matcher.match('The season finale')).toHaveLength(2);
  });

  it('of marks and spaces alone has no key', () => {
    expect(['\u0301', '´', '\u0640', ' ', '\u200b'].map(keyOf)).toEqual(['', '', '', '', '']);
    expect(keyOf('  Crème  BRÛLÉE ')).toBe('creme brulee');
  });
});

describe('the phrases of a viewer', () => {
  it('name every filter that warns, unless one hides or has ended', () => {
    const warnings = [phraseOf('sea'), phraseOf('sand', { isWholeWord: false }), phraseOf('mountain')];
    const ended = phraseOf('and', { action: 'hide', endsAt: Date.now() - 1 });
    const named = ['sea', 'sand'].map((id) => ({ id, phrase: id }));

    expect(new PhraseMatcher([...warnings, ended]).match('Sandy and the sea')).toEqual(named);
    expect(new PhraseMatcher([...warnings, phraseOf('and', { action: 'hide' })]).match('Sandy and the sea')).toBe(
      'hidden',
    );
    expect(new PhraseMatcher([]).match('Sandy and the sea')).toEqual([]);
  });

  it.each([true, false])('take linear time of a text that nearly has them, whole words: %s', (isWholeWord) => {
    const hostile = Array.from({ length: 100 }, (_, at) => phraseOf(`${'a '.repeat(28)}b${at}`, { isWholeWord }));
    const matcher = new PhraseMatcher(hostile);

    expect(growth(24_000, (length) => matcher.match('a '.repeat(length / 2)))).toBeLessThan(LINEAR);
  });
});
