import { ALLOW_LIST } from './allow-list.js';
import { ELEMENTS, PREVIEW_LENGTH } from './visible-text.js';
import { renderPost } from './render-markdown.js';

const previewOf = (markdown: string): string => renderPost(markdown).preview;
/** Returns an element around `x`, with the parts that its place in a tree needs. */
function htmlOf(tag: string): string {
  if (/^(?:br|hr|input|wbr)$/.test(tag)) return `<${tag}>`;
  if (tag === 'img') return '<img alt=y title="no label">';
  if (tag === 'section') return '<section data-footnotes>x</section>';
  if (tag === 'caption') return '<table><caption>x</caption></table>';
  if (/^t[hd]$/.test(tag)) return `<table><tr><${tag}>x</${tag}></table>`;
  if (/^(?:table|tr|t(?:body|foot|head))$/.test(tag)) return `<table><${tag}><tr><td>x</table>`;
  return `<${tag}>x</${tag}>`;
}
const readOf = (markdown: string): string => renderPost(markdown).read.text;

describe('the preview of a text', () => {
  it.each([
    ['a <!-- hidden --> b', 'a b'],
    ['&copy; 2026', '© 2026'],
    ['[![x](i)](u)', 'x'],
    ['Foo_(bar)', 'Foo_(bar)'],
    ['x[^1]\n\n[^1]: y', 'x'],
    ['x[^1][^1]\n\n[^1]: y\n\n    z\n\nw', 'x w'],
    ['[![x](i "a text")](u "b text") y', 'x y'],
    ['[![x][i]][u]\n\n[i]: /i "a text"\n[u]: /u (b)', 'x'],
    ['![](i "a text") <img src=i title="b"> x', 'x'],
    ['[x](/u "a text") [y]: z\n\n[y]: /u "b"', 'x y: z'],
    ['<https://a.example> www.b.example a@c.example', 'https://a.example www.b.example a@c.example'],
    ['- [x] a\n- [ ] b\n\n1. c', 'a b c'],
    ['a\n\n---\n\nb\n***', 'a b'],
    ['~~a~~ **b** *c* ***d*** `e`', 'a b c d e'],
    ['a\\\nb \\* &amp; <b title="x">c</b>', 'a b * & c'],
    ['> [!NOTE]\n> a\n\n> b', 'Note a b'],
    ['```math\nx\n```\n\na $$y$$ b', 'a b'],
    ['    indented\n\na', 'a'],
    ['[a]: /u "b"', ''],
    ['[^1]: a\n\n[^1]', 'a'],
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

  it('has a decision for every element of the allow-list', () => {
    expect(Object.values(ELEMENTS).flat().sort()).toEqual([...ALLOW_LIST.tagNames!].sort());
  });

  const shown = { inline: 'axb', block: 'a x b', folded: 'a b', code: 'a b', label: 'a y b', hidden: 'ab' };
  it.each(
    Object.entries(ELEMENTS).flatMap(([kind, tags]) => tags.map((tag) => [tag, shown[kind as keyof typeof ELEMENTS]])),
  )('has of <%s>: %s', (tag, preview) => {
    const html = htmlOf(tag);
    const given = /x|alt/.test(html) ? preview : preview.replace('x', '').replace(/ +/, ' ');
    expect(previewOf(`<div>a${html}b</div>`)).toBe(given);
  });

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
