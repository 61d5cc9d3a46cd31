import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { COMMENT_TAGS, renderComment } from './comment-markdown.js';

const VECTORS = readFileSync('test/security/xss-vectors.txt', 'utf8').split('\n').filter(Boolean);
const ATTRIBUTES = /^(?:class="(?:language-[\w+#.-]{1,40})?"|start="\d+"|href="[^"]*"|rel="ugc nofollow noopener"| )*$/;

/** Returns markup outside the allowed tags. In text, `<` must be escaped. */
function faultsOf(html: string): string[] {
  const tags = [...html.matchAll(/<[^>]*>?/g)].map(([tag]) => tag);
  return tags.filter((tag) => {
    const [, name, attributes = ''] = /^<\/?([a-z]+)(?: ([^>]*))?>$/.exec(tag) ?? [];
    const [, href] = /href="([^"]*)"/.exec(attributes) ?? [];
    const isSafe = href === undefined || /^(?:https?|mailto):/i.test(href) || !/^[^/?#]*:/.test(href);
    return name === undefined || !COMMENT_TAGS.includes(name) || !ATTRIBUTES.test(attributes) || !isSafe;
  });
}

describe('renderComment', () => {
  it.each([
    ['*a* **b** ~~c~~ `d`', '<p><em>a</em> <strong>b</strong> <del>c</del> <code>d</code></p>'],
    ['one\ntwo', '<p>one<br>\ntwo</p>'],
    ['[x](https://a.example)', '<p><a href="https://a.example" rel="ugc nofollow noopener">x</a></p>'],
    [
      '![a cat](https://a.example/c.png)',
      '<p><a href="https://a.example/c.png" rel="ugc nofollow noopener">a cat</a></p>',
    ],
    ['[x](javascript:alert(1))', '<p><a>x</a></p>'],
    ['# Title', '<p><strong>Title</strong></p>'],
    ['a <b>bold</b> word', '<p>a &#x3C;b>bold&#x3C;/b> word</p>'],
    ['<script>alert(1)</script>', '<p>&#x3C;script>alert(1)&#x3C;/script></p>'],
    ['It costs $10 and $20.', '<p>It costs $10 and $20.</p>'],
    ['- a\n- b', '<ul>\n<li>a</li>\n<li>b</li>\n</ul>'],
  ])('%j -> %j', (markdown, html) => expect(renderComment(markdown).html).toBe(html));

  it('contains only listed tags and attributes, for any vector', () => {
    expect(VECTORS.length).toBeGreaterThan(100);
    for (const vector of VECTORS) expect([vector, faultsOf(renderComment(vector).html)]).toEqual([vector, []]);
  });

  it('contains only listed tags and attributes, for any text', () => {
    const part = fc.constantFrom(
      ...'<>[]()!*_`~#|-:/"\'& \n'.split(''),
      'a',
      'x=',
      'href',
      'javascript:',
      'https://a.b',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
        expect(faultsOf(renderComment(parts.join('')).html)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});
