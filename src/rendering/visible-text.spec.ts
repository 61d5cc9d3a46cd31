import { PREVIEW_LENGTH } from './visible-text.js';
import { renderPost } from './render-markdown.js';

const previewOf = (markdown: string): string => renderPost(markdown).preview;
const readOf = (markdown: string): string => renderPost(markdown).read.text;

describe('the preview of a text', () => {
  it.each([
    ['a <!-- hidden --> b', 'a b'],
    ['&copy; 2026', '© 2026'],
    ['[![x](i)](u)', 'x'],
    ['Foo_(bar)', 'Foo_(bar)'],
    ['x[^1]\n\n[^1]: y', 'x y'],
    ['`<div>`', '<div>'],
    ['a * b', 'a * b'],
    ['| a | b |\n|---|---|\n| 1 | 2 |', 'a b 1 2'],
    ['Let $x^2$ be\n\n$$\ny\n$$\n\nand `c`', 'Let x^2 be and c'],
    ['# A *b*\n\n- c\n2. d\n\n```ts\nhidden\n```\n\n> e', 'A b c d e'],
    ['<details><summary>Sum</summary>\n\nSecret\n\n</details>\n\nOpen', 'Sum Open'],
    ['<details open><summary>Sum</summary>\n\nShown\n\n</details>', 'Sum Shown'],
    ['one<br>two  \nthree', 'one two three'],
    ['<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>', '漢kan'],
    ['```\nlet a = 1;\n```', 'let a = 1;'],
    ['<!-- nothing -->', ''],
  ])('%j', (markdown, preview) => expect(previewOf(markdown)).toBe(preview));

  it('is cut between two characters', () => {
    expect(previewOf(`${'a'.repeat(PREVIEW_LENGTH - 1)}👩‍👩‍👧‍👦`)).toBe('a'.repeat(PREVIEW_LENGTH - 1));
  });
});

describe('the words of a text', () => {
  it.each([
    ['a table', `| a | b |\n|---|---|\n${'| c | d |\n'.repeat(10)}`, 22],
    ['code', 'one\n\n```\ntwo three\n```', 1],
    ['a formula', 'one $a + b + c$', 2],
    ['an address', '[one](https://example.org/two)', 1],
  ])('of %s', (_, markdown, words) => expect(renderPost(markdown).html.words).toBe(words));
});

describe('the text for a search', () => {
  it.each([
    ['Fr**an**k', 'Frank'],
    ['a&nbsp;b <i class="c">d</i> <!-- e -->', 'a b d'],
    ['```ts\nconst a = 1;\n```', 'const a = 1;'],
    ['<details>\n\nSecret\n\n</details>', 'Secret'],
  ])('%j', (markdown, text) => expect(readOf(markdown)).toBe(text));

  it('has separate headings', () => {
    expect(renderPost('# A\n\nb\n\n## C[^1]\n\n[^1]: d').read).toEqual({ headings: ['A', 'C'], text: 'A b C d' });
  });
});
