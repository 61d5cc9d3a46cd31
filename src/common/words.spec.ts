import fc from 'fast-check';
import { growth, LINEAR } from '../../test/support/growth.js';
import { findTerms, queryOf, termsOf, wordsOf } from './words.js';

describe('the words of a text', () => {
  it.each([
    ['Hello, World!', ['hello', 'world']],
    ['Crème brûlée & Straße', ['creme', 'brulee', 'strasse']],
    ["l'amour, snake_case, re-use", ['l', 'amour', 'snake', 'case', 're', 'use']],
    ['C++, C#: g++ but i + j, issue#12, A+', ['c＋＋', 'c＃', 'g＋＋', 'but', 'i', 'j', 'issue', '12', 'a']],
    ["don't can’t Ada's", ['dont', 'cant', 'ada', 's']],
    ['1,000,000 12,5 1.000', ['1000000', '12', '5', '1', '000']],
    ['t-shirt', ['t', 'shirt']],
    ['ﬁne ① ＡＢＣ', ['fine', '1', 'abc']],
    ['Война и мир', ['воина', 'и', 'мир']],
    ['ΣΊΣΥΦΟΣ', ['σισυφοσ']],
    ['İstanbul ISTANBUL', ['istanbul', 'istanbul']],
    ['עִבְרִית العَرَبِيَّة', ['עברית', 'العربيه']],
    ['हिन्दी', ['हिन्दी']],
    ['深層学習', ['深', '層', '学', '習']],
    ['データ2号', ['デ', 'ー', 'タ', '2', '号']],
    ['한국어 텍스트', ['한국어', '텍스트']],
    ['🎉 -- \u{d800}', []],
    ['looms ❤️ 1️⃣', ['looms', '1']],
    ['葛\u{e0100}城', ['葛', '城']],
    ['בֵּית־סֵפֶר', ['בית', 'ספר']],
    ['Do\u00adnau\u00addampf, zero\u200bwidth, می\u200cخواهم', ['donaudampf', 'zerowidth', 'ميخواهم']],
    ['서울에서 Python을 2026년', ['서울에서', 'python', '을', '2026', '년']],
    ['サーバーserver', ['サ', 'ー', 'バ', 'ー', 'server']],
    ['צה"ל, צה״ל "שלום"', ['צהל', 'צהל', 'שלום']],
    ["м'ята мʼята oʻzbek", ['м', 'ята', 'м', 'ята', 'o', 'zbek']],
    ['٢٠٢٦ ۲۰۲۶ २०२६ ๒๐๒๖ １٬０００', ['2026', '2026', '2026', '2026', '1000']],
  ])('%s', (text, words) => expect(wordsOf(text)).toEqual(words));

  it('keep a mark with its Korean syllable', () => {
    expect(wordsOf('가𑁰 나𑁰다')).toEqual(['가𑁰', '나𑁰다']);
  });

  it('contain no character that would split them again, and are stable', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const words = wordsOf(text);
        for (const word of words) expect(word).toMatch(/^[\p{L}\p{N}\p{M}＋＃]{1,64}$/u);
        expect(wordsOf(words.join(' '))).toEqual(words);
      }),
    );
  });

  it('are cut between two characters', () => {
    expect(wordsOf(`a${'𐐨'.repeat(40)} bcd`)).toEqual([`a${'𐐨'.repeat(31)}`, 'bcd']);
  });

  it.each(['a', 'n', "n't", '1', '1,000', 'c++', '字', 'é', 'ﷺ', '\u0301', '[](', ' ', '"', '\u{d800}'])(
    'take linear time of many %j',
    (piece) => {
      expect(growth(24_000, (length) => wordsOf(piece.repeat(length / piece.length)))).toBeLessThan(LINEAR);
    },
  );
});

describe('the terms of a query', () => {
  const open = (...words: string[]) => ({ words, isPrefix: true });
  const closed = (...words: string[]) => ({ words, isPrefix: false });

  it.each([
    ['Analytical eng', [closed('analytical'), open('eng')]],
    ['"analytical engine" not', [closed('analytical', 'engine'), open('not')]],
    ['the “jacquard loom”', [closed('the'), closed('jacquard', 'loom')]],
    ['half "open phrase', [closed('half'), closed('open'), open('phrase')]],
    [
      'title:x* AND (b OR NOT c) NEAR/2',
      [...['title', 'x', 'and', 'b', 'or', 'not', 'c'].map((word) => closed(word)), closed('near'), closed('2')],
    ],
    ['深層 learn', [closed('深', '層'), open('learn')]],
    ['the c#', [closed('the'), open('c＃')]],
    ['a '.repeat(20), Array.from({ length: 12 }, () => closed('a'))],
    [`x "${'a '.repeat(20)}" y`, [closed('x'), closed(...Array.from({ length: 11 }, () => 'a'))]],
    ['深層学習入門の本と機械の話', [closed(...'深層学習入門の本と機械の')]],
    ['plan b', [closed('plan'), closed('b')]],
    ['서울 맛집 물 a', [open('서울'), open('맛집'), open('물'), closed('a')]],
    ['"서울 맛집" 서울2026', [open('서울', '맛집'), open('서울', '2026')]],
    ['צה"ל ארה"ב', [closed('צהל'), open('ארהב')]],
    ['"" "…" --', []],
  ])('%s', (query, terms) => expect(termsOf(query)).toEqual(terms));

  it('are those of their own spelling', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 100 }), (query) => {
        const words = (text: string) => termsOf(text).map((term) => term.words);
        expect(words(queryOf(termsOf(query)))).toEqual(words(query));
      }),
    );
  });
});

describe('the places of the terms in a text', () => {
  const found = (text: string, query: string) =>
    findTerms(text, termsOf(query), 50).map(({ start, end }) => text.slice(start, end));

  it.each([
    ['Notes on the Analytical Engine', 'engi notes', ['Notes']],
    ['Notes on the Analytical Engine', 'notes engi', ['Notes', 'Engine']],
    ['Crème Brûlée', 'creme brul', ['Crème', 'Brûlée']],
    ['🎉 深層学習 deep', '学習', ['学習']],
    ['engines and engineers', 'engine', ['engines', 'engineers']],
    ['In C, C++ and C#', 'c++', ['C++']],
    ['A 1,000,000 times', '1000000', ['1,000,000']],
    ['nothing here', 'else', []],
    ['I ❤️ looms ☀️ today', 'looms ❤️', ['looms']],
    ['בֵּית־סֵפֶר', 'ספר', ['סֵפֶר']],
    ['ทำอาหาร', 'ทำ', ['ทำ', 'า', 'า']],
    ['น้ำ', 'น้ำ', ['น้ำ']],
    ['Do\u00adnau, 深\u200b層', 'donau 深層', ['Do\u00adnau', '深\u200b層']],
    ['서울에서 Python을', '서울 python', ['서울에서', 'Python']],
    ['צה״ל ٢٠٢٦ ١٬٠٠٠', 'צהל 2026 1000', ['צה״ל', '٢٠٢٦', '١٬٠٠٠']],
    ['ｻｰﾊﾞｰserver', 'サーバー', ['ｻｰﾊﾞｰ']],
  ])('%s, %s', (text, query, pieces) => expect(found(text, query)).toEqual(pieces));

  it('are all of a text of one script that is its own query', () => {
    for (const script of ['กขคทำน้ำอาหาร', 'ກຂຄນ້ຳ', '深層学習', 'データ', 'ខ្មែរ']) {
      fc.assert(
        fc.property(
          fc.array(fc.constantFrom(...script.match(/\P{M}\p{M}*/gu)!), { minLength: 1, maxLength: 8 }),
          (letters) => {
            const text = letters.join('');
            fc.pre(!/^[\u0e33\u0eb3]/u.test(text));
            expect(found(text, text)).toEqual([text]);
          },
        ),
      );
    }
  });

  it('are no more than requested, in a text without spaces too', () => {
    expect(findTerms('我的你的他的'.repeat(40), termsOf('的'), 50)).toHaveLength(50);
  });

  it('never cut a character, and never overlap', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 200 }),
        fc.string({ unit: 'binary', maxLength: 20 }),
        (text, query) => {
          let end = 0;
          for (const range of findTerms(text, termsOf(`${query} ${text.slice(0, 30)}`), 50)) {
            expect(range.start).toBeGreaterThanOrEqual(end);
            expect(range.end).toBeGreaterThan(range.start);
            end = range.end;
          }
          expect(end).toBeLessThanOrEqual(text.length);
        },
      ),
    );
  });
});
