import fc from 'fast-check';
import { renderComment } from '../comments/comment-markdown.js';
import { linkMentions, namesToLookUp, type People } from './mentions.js';
import { renderPost } from './render-markdown.js';

const NAMES = ['ada_1', 'byron', 'grace_', 'lovelace'];
const ALL: People = new Map(NAMES.map((name) => [name, { id: name, url: `https://a.example/u/${name}` }]));
const linked = (markdown: string) => renderComment(markdown, ALL).mentions;

const textWith = (value: string) => linkMentions({ type: 'root', children: [{ type: 'text', value }] }, ALL);
const isFoundIn = (sign: string): boolean =>
  [`${sign}@byron`, `@byron${sign}`, `${sign}@byron${sign}`].every((text) => textWith(text).length === 1);

describe('mentions', () => {
  it.each([
    ['@byron', ['byron']],
    ['Hello @Byron, and **@ada_1**!', ['byron', 'ada_1']],
    ['_@ada_1_ (@lovelace) @byron. @byron', ['ada_1', 'lovelace', 'byron']],
    ['@ada\\_1 你好@byron你好', ['ada_1', 'byron']],
    ['# By @byron\n\n- [x] @ada_1\n\n| @lovelace |\n| --- |\n| @grace_ |', ['byron', 'ada_1', 'lovelace', 'grace_']],
    ['`@byron` and [@byron](https://a.example) and <https://a.example/@byron>', []],
    ['> @byron\n\n```\n@byron\n```\n\n    @byron', []],
    ['me@byron é@byron @byroné @byron@a.example a.example/@byron @byron/core @@byron', []],
    ['@unknown @by @byronbyronbyronbyron', []],
  ])('%j: %j', (markdown, names) => {
    expect(linked(markdown)).toEqual(names);
    expect(renderPost(markdown, new Map(), ALL).mentions).toEqual(names);
  });

  it('are found beside all punctuation, symbols and spaces of all scripts', () => {
    const missed: string[] = [];
    for (let code = 0; code <= 0x1_ffff; code++) {
      const sign = String.fromCodePoint(code);
      if (/[\p{P}\p{S}\p{Z}]/u.test(sign) && !'@/_'.includes(sign))
        missed.push(...[sign, `${sign}\ufe0f`].filter((one) => !isFoundIn(one)));
    }
    expect(missed).toEqual([]);
  });

  it.each([...'中ひカー漢ฉันກຂខ្មែរမြန်မာꦗᬓᨠᦀᥐ한에བོ', 'น้ำ', 'か\u3099'])(
    'are found beside letters of scripts without spaces: %s',
    (letter) => {
      expect(isFoundIn(letter)).toBe(true);
    },
  );

  it.each([
    'é',
    'e\u0301',
    'я',
    'α',
    'ע',
    'ب',
    'क',
    'কা',
    'த',
    'ա',
    'ა',
    'አ',
    'ᠠ',
    'ߊ',
    'ᏣᎳ',
    '𐐨',
    '٣',
    '३',
    '_',
    '/',
    '@',
  ])('are no part of a word of a script with spaces: %s', (letter) =>
    expect([textWith(`${letter}@byron`), textWith(`@byron${letter}`)]).toEqual([[], []]),
  );

  it('are links with the text as it was written', () => {
    const html = '<p>I, <a href="https://a.example/u/byron" rel="ugc nofollow noopener">@Byron</a>.</p>';
    expect(renderComment('I, @Byron.', ALL).html).toBe(html);
    expect(renderPost('I, @Byron.', new Map(), ALL).html.html).toBe(html);
  });

  it('are not in HTML quotes and code of posts', () => {
    const markdown = '<q>@byron</q> <kbd>@byron</kbd> <samp>@byron</samp> <i>@ada_1</i>';
    expect(renderPost(markdown, new Map(), ALL).mentions).toEqual(['ada_1']);
  });

  it('are at most ten accounts of a text, each any number of times', () => {
    const names = Array.from({ length: 12 }, (_, at) => `name${at}`);
    const people: People = new Map(names.map((name) => [name, { id: name, url: `/u/${name}` }]));
    const text = [...names, ...names].map((name) => `@${name}`).join(' ');
    const { html, mentions } = renderComment(text, people);
    expect(mentions).toEqual(names.slice(0, 10));
    expect(html.split('<a ').length - 1).toBe(20);
  });

  it('are among the names that are looked up, for any text', () => {
    const part = fc.constantFrom(...'@_*`~>#[]()!\\/. \n'.split(''), ...NAMES, ...NAMES.map((name) => `@${name}`), 'é');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const markdown = parts.join('');
        const known = new Set(namesToLookUp(markdown));
        expect(linked(markdown).filter((name) => !known.has(name))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('looks up 50 names of a text', () => {
    const text = Array.from({ length: 1_000 }, (_, at) => `@name${at}`).join(' ');
    expect(namesToLookUp(text)).toHaveLength(50);
    expect(namesToLookUp('no name, @ and @1234 and @x')).toEqual([]);
  });
});
