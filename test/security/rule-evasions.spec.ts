import fc from 'fast-check';
import { MARKUP } from '../../src/comments/comment-rules.js';
import { renderComment } from '../../src/comments/comment-markdown.js';
import { renderPost } from '../../src/rendering/render-markdown.js';
import { encodePost, escapedPost } from '../../src/rendering/rendered-html.js';
import { keyOf, RuleMatcher } from '../../src/rules/rule-matcher.js';
import { growth, LINEAR } from '../support/growth.js';

const matcher = new RuleMatcher([
  keyOf({ kind: 'word', value: 'casino' }),
  keyOf({ kind: 'domain', value: 'shop.example' }),
]);
const [WORD, DOMAIN] = [[0], [1]];
const matchedBy = (shown: { text: string; hosts: string[] }): number[] =>
  matcher.match([{ field: 'content', ...shown }]).map(({ rule }) => rule);
const inPost = (markdown: string): number[] => matchedBy(renderPost(markdown).shown);
const inComment = (markdown: string): number[] => matchedBy(renderComment(markdown).shown);

/** Sources that a browser shows as nothing, or as formatting alone, within a word. */
const INVISIBLE = {
  both: ['\\', '****', '&zwj;', '&shy;', '&#8290;', '&NoBreak;', '&ZeroWidthSpace;', '&#xe0041;', '&#x3164;', '&#847;'],
  posts: [
    '<b></b>',
    '<!-- x -->',
    '<a href="/"></a>',
    '<span>',
    '<wbr>',
    '<i x="y">',
    '<rp>x</rp>',
    '![]()',
    '<unknown>',
  ],
};

describe('a word that the source of a text breaks', () => {
  it.each([...INVISIBLE.both.slice(2), ...INVISIBLE.posts])('is found in a post: %j', (sign) => {
    expect(inPost(`The cas${sign}ino opens`)).toEqual(WORD);
  });

  it.each(INVISIBLE.both.slice(2))('is found in a comment: %j', (sign) => {
    expect(inComment(`The cas${sign}ino opens`)).toEqual(WORD);
  });

  it.each([
    'cas**i**no',
    '~~cas~~ino',
    '[cas](/)ino',
    'c&#97;sino',
    'cas`i`no',
    '[cas][1]ino\n\n[1]: /a',
    '`casino`',
    '    casino',
    'https://a.example/casino',
  ])('is found in posts and comments as readers see it: %j', (markdown) => {
    expect([inPost(markdown), inComment(markdown)]).toEqual([WORD, WORD]);
  });

  it.each([
    '<details><summary>x</summary>casino</details>',
    '[^1]\n\n[^1]: casino',
    '![casino](/a.png)',
    'x![casino](/a.png)x',
    'cas![i](/a.png)no',
    '<i title="casino">x</i>',
    '<b aria-label="casino">x</b>',
    '<a data-footnote-ref>casino</a>',
    '<h2 id="footnote-label">casino</h2>',
    '<ruby>cas<rt>x</rt>ino</ruby>',
    '<ruby>x<rt>casino</rt></ruby>',
    '$casino$',
    '$\\text{cas}{ino}$',
    '$$\ncasino\n$$',
    '```math\ncasino\n```',
    '<p>cas</b>ino',
    '| casino |\n|-|',
  ])('is found in a post wherever it is shown: %j', (markdown) => expect(inPost(markdown)).toEqual(WORD));

  it.each([
    '<!-- casino -->',
    '<b class="casino">x</b>',
    '[x](/casino)',
    '<casino>x</casino>',
    'cas ino',
    'cas<br>ino',
    '- cas\n- ino',
  ])('is not found where no reader sees it: %j', (markdown) => expect(inPost(markdown)).toEqual([]));

  it('is found in HTML that a comment shows as text, but not across its tags', () => {
    expect([inComment('<b>casino</b>'), inComment('cas<b></b>ino')]).toEqual([WORD, []]);
  });

  it('is found in the source of a comment without signs of markup, which is not rendered', () => {
    const signs = [
      ...' \n\t-#>|=:;(){}!+$^%@/."\'1,',
      '1. ',
      '- ',
      '\n\n',
      '|-|',
      '    ',
      'http:',
      'mailto:',
      '\\',
      '[',
      '*',
    ];
    const part = fc.constantFrom('casino', 'cas', 'ino', 'shop.example', '//shop.example', ...signs);
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        fc.pre(!MARKUP.test(text));
        expect(matchedBy({ text, hosts: [] })).toEqual(expect.arrayContaining(inComment(text)));
      }),
      { numRuns: 1_000 },
    );
  });

  it('is found with any invisible signs between any letters', () => {
    const ignorable = fc
      .integer({ min: 0xa0, max: 0xe0fff })
      .map((code) => String.fromCodePoint(code))
      .filter((letter) => /\p{Default_Ignorable_Code_Point}/u.test(letter));
    const sign = fc.oneof(
      fc.constantFrom(...INVISIBLE.both.slice(2)),
      ignorable.map((letter) => `&#${letter.codePointAt(0)};`),
    );
    fc.assert(
      fc.property(fc.array(sign, { minLength: 5, maxLength: 5 }), (signs) => {
        const broken = [...'casino'].map((letter, at) => letter + (signs[at] ?? '')).join('');
        expect([inPost(broken), inComment(broken)]).toEqual([WORD, WORD]);
      }),
    );
  });
});

describe('a host that the source of a text hides', () => {
  it.each([
    '[a](https://shop.example)',
    '[a](//shop.example)',
    '[a](http:shop.example)',
    '[a](https://shop%2Eexample)',
    '[a](https://ｓｈｏｐ.example)',
    '[a](https://sh&shy;op.example)',
    '[a][1]\n\n[1]: https://user:pass@www.shop.example:8080/x',
    'https:\\/\\/shop\\.example and <https://shop.example>',
    'www.shop.example',
    '![a](https://shop.example/a.png)',
    '`https://shop.example`',
  ])('is found in posts and comments: %j', (markdown) => {
    expect([inPost(markdown), inComment(markdown)]).toEqual([DOMAIN, DOMAIN]);
  });

  it.each([
    '<a href="https&#58;//shop&period;example">a</a>',
    '<a href="https://sh&#9;op.exam&NewLine;ple">a</a>',
    "<a href=' \n//shop.example'>a</a>",
    '<img src=//shop.example/a.png>',
    '<q cite="https://shop.example">a</q>',
  ])('is found in the HTML of a post: %j', (markdown) => expect(inPost(markdown)).toEqual(DOMAIN));

  it.each([
    '[a](/shop.example)',
    '[a](https://a.example/?shop.example)',
    '<a href="javascript:shop.example">a</a>',
    'shop.example',
  ])('is not found where no link leads to it: %j', (markdown) => expect(inPost(markdown)).toEqual([]));
});

describe('the text and the hosts that readers see', () => {
  it('has each link once', () => {
    const markdown =
      'https://a.example, www.b.example [https://c.example](https://c.example "x") ![e](//e.example/x.png)';
    const hosts = ['a.example', 'www.b.example', 'c.example', 'e.example'];

    expect([renderPost(markdown).shown.hosts, renderComment(markdown).shown.hosts]).toEqual([hosts, hosts]);
  });

  it('is the source if the text is not rendered', () => {
    const { shown } = encodePost(escapedPost('A **casino** https://shop.example'));

    expect(shown).toEqual({ text: 'A **casino** https://shop.example', hosts: ['shop.example'] });
  });

  it.each(['[](//a.b)', '<i title="a">b</i>', '![a](b)', '<ruby>a<rt>b', 'a<br>'])(
    'takes linear time of many %j',
    (piece) => {
      const match = (length: number): void => void inPost(piece.repeat(length / piece.length));

      expect(growth(2_000, match)).toBeLessThan(LINEAR);
    },
  );
});
