import fc from 'fast-check';
import { growth, LINEAR } from '../../test/support/growth.js';
import { domainsOf, hostOf, hostOfAddress, hostsIn } from '../common/links.js';
import { skeletonOf } from './look-alikes.js';
import type { RuleKind } from './rule-kinds.js';
import { keyOf, RuleMatcher } from './rule-matcher.js';

const matches = (kind: RuleKind, value: string, text: string): boolean =>
  new RuleMatcher([keyOf({ kind, value })]).match([{ field: 'content', text }]).length > 0;

describe('a word or phrase', () => {
  it.each([
    ['casino', 'The CASINO opens.', true],
    ['casino', 'Casinos open.', false],
    ['sand', 'thousand sandy', false],
    ['cafe', 'Un café.', true],
    ['casino', 'ｃａｓｉｎｏ', true],
    ['casino', 'cas\u00adi\u200bno', true],
    ['casino', 'cas\u2062i\u180eno', true],
    ['casino', 'cas\u3164ino', true],
    ['casino', 'cas\u0001ino', true],
    ['casino', 'cas*ino', false],
    ['casino', 'сasino', true],
    ['casino', 'c4s1n0', true],
    ['casino', 'СASІNО', true],
    ['case', 'саѕе', true],
    ['buy followers', 'Buy\nfollowers!', true],
    ['buy followers', 'buy more followers', false],
    ['buy followers', 'buy', false],
    ['спам', 'Это спам.', true],
    ['спам', 'спамер', false],
    ['שלום עולם', 'אמר: שלום, עולם!', true],
    ['سلام', 'سَلام', true],
    ['賭博', '私は賭博をする', true],
    ['카지노', '온라인 카지노에서', true],
    ['casino', 'casino에서', true],
    ['카지노', '카지의 노', false],
    ['کازینو ۲۰۲۶', 'كازينو ٢٠٢٦', true],
    ["o'yin", 'oʻyin', true],
    ['c++', 'I like C++.', true],
    ['pot', 'рот', false],
    ['it', 'an i7', false],
    ['loo', '100', false],
  ])('%j in %j: %s', (value, text, isFound) => expect(matches('phrase', value, text)).toBe(isFound));

  it('is found exactly if a naive scan of the words finds it, for any texts', () => {
    const piece = fc.constantFrom('and', 'sand', 'Ánd', 'с', 'c', '0', 'a', '学', '習', '🎉', ' ', ' ', '.', '\u0301');
    const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
    const wordsIn = (of: string) => keyOf({ kind: 'phrase', value: of });
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 5 }), (given, values) => {
        const found = new RuleMatcher(values.map(wordsIn)).match([{ field: 'content', text: given }]);

        const expected = values.flatMap((value, rule) => {
          const words = wordsIn(value);
          return words !== '' && ` ${wordsIn(given)} `.includes(` ${words} `) ? [{ rule, text: 0 }] : [];
        });
        expect(found.sort((a, b) => a.rule - b.rule)).toEqual(expected);
      }),
    );
  });

  it('has no key without a word', () => {
    expect(['!?', '', '🎉', '\u0301'].map((value) => keyOf({ kind: 'phrase', value }))).toEqual(['', '', '', '']);
  });

  it('is matched in every field once, but not in an address', () => {
    const matcher = new RuleMatcher(['casino', ' casino.example']);

    const found = matcher.match([
      { field: 'title', text: 'casino casino' },
      { field: 'content', text: 'a casino' },
      { field: 'canonicalUrl', text: 'https://casino.example/', isUrl: true },
    ]);

    expect(found).toEqual([
      { rule: 0, text: 0 },
      { rule: 0, text: 1 },
      { rule: 1, text: 2 },
    ]);
  });
});

describe('a domain', () => {
  it.each([
    ['[a](https://shop.example/x)', true],
    ['https://WWW.Shop.Example', true],
    ['a deep one: http://a.b.shop.example:8080/?q', true],
    ['<https://user:pass@shop.example>', true],
    ['[a](//shop.example)', true],
    ['www.shop.example.', true],
    ['**https://shop.example**', true],
    ['https://shop%2Eexample', true],
    ['https://ｓｈｏｐ.example', true],
    ['https://myshop.example', false],
    ['https://shop.example.org', false],
    ['https://a.example/shop.example', false],
    ['https://a.example/?to=shop.example', false],
    ['the words shop.example', false],
  ])('shop.example in %j: %s', (text, isFound) => expect(matches('domain', 'shop.example', text)).toBe(isFound));

  it('may be international, in either form', () => {
    expect(matches('domain', 'bücher.example', 'https://xn--bcher-kva.example')).toBe(true);
    expect(matches('domain', 'xn--bcher-kva.example', 'https://BÜCHER.example/x')).toBe(true);
  });

  it('has a canonical form, or none without a dot', () => {
    expect(['Shop.Example.', 'localhost', 'a b.org', '', '1.2.3.4'].map(hostOf)).toEqual([
      'shop.example',
      null,
      null,
      null,
      '1.2.3.4',
    ]);
    expect([...domainsOf('a.b.org')]).toEqual(['a.b.org', 'b.org', 'org']);
  });
});

describe('the links of a text', () => {
  it('are counted as the renderer shows them', () => {
    const text =
      'https://a.example, www.b.example [c](https://c.example "x") <https://d.example> ![e](//e.example/x.png)';

    expect(hostsIn(text)).toEqual(['a.example', 'www.b.example', 'c.example', 'd.example', 'e.example']);
    expect(hostsIn('no // comment, a/b//c, me@www.example, https://, /v1/media/files/x.png')).toEqual([]);
  });

  it.each([
    ['https://shop.example/x', 'shop.example'],
    ['ht\ntps:/\t/sh\rop.example', 'shop.example'],
    [' \u0001//shop.example', 'shop.example'],
    ['\\\\shop.example', 'shop.example'],
    ['http:shop.example', 'shop.example'],
    ['https:\\\\ｓｈｏｐ。example.', 'shop.example'],
    ['http://0x7f.1/', '127.0.0.1'],
    ['/shop.example', null],
    ['?//shop.example', null],
    ['mailto:a@shop.example', null],
    ['https://[', null],
    ['', null],
  ])('lead where a browser goes: %j: %s', (address, host) => expect(hostOfAddress(address)).toBe(host));

  it('of any text have hosts', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        for (const host of hostsIn(text)) expect(hostOf(host)).toBe(host);
        expect(hostOfAddress(text)).not.toBe('');
        expect(() => skeletonOf(text)).not.toThrow();
      }),
    );
  });
});

describe('the time of a match', () => {
  const keys = Array.from({ length: 1_000 }, (_, at) =>
    at % 2 === 0 ? ` d${at}.example` : 'a '.repeat(at % 100) + at,
  );
  const matcher = new RuleMatcher(keys);

  it.each([
    ['words of phrases', 'a '],
    ['slashes', '/'],
    ['backslashes', '\\'],
    ['schemes', 'https:'],
    ['links', '[](//a.b)'],
    ['dots', 'https://' + '.'.repeat(100)],
    ['names of hosts', 'www.'],
    ['combining marks', 'e\u0301'],
    ['words of two scripts', 'aс0 '],
  ])('is linear in a text of %s', (_, piece) => {
    const match = (length: number): void => {
      matcher.match([{ field: 'content', text: piece.repeat(Math.ceil(length / piece.length)) }]);
    };

    expect(growth(16_000, match)).toBeLessThan(LINEAR);
  });
});
