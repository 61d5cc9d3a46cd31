import fc from 'fast-check';
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import { growth, LINEAR } from '../../test/support/growth.js';
import { fromFeedForm } from './feed-form.js';
import { renderPost } from './render-markdown.js';
import { encodePost, escapedPost, MAX_FEED_HTML } from './rendered-html.js';

const SITE = 'https://site.example';
const POST = `${SITE}/p/notes-1`;
const shown = (markdown: string, site = SITE): string =>
  fromFeedForm(renderPost(markdown).feed, site, `${site}/p/notes-1`);

describe('the HTML of a post in feeds', () => {
  it.each([
    ['[a](/u/ada)', 'href="https://site.example/u/ada"'],
    ['[a](b?c=d&e=f)', 'href="https://site.example/p/b?c=d&#x26;e=f"'],
    ['[a](../b)', 'href="https://site.example/b"'],
    ['[a](?c)', 'href="https://site.example/p/notes-1?c"'],
    ['[a](//cdn.example/x)', 'href="https://cdn.example/x"'],
    ['[a](#b)', 'href="https://site.example/p/notes-1#user-content-b"'],
    ['![a](c.png)', 'src="https://site.example/p/c.png"'],
    ['<blockquote cite="/b">a</blockquote>', 'cite="https://site.example/b"'],
    ['<a href="/b>c" title="d > e">a</a>', 'href="https://site.example/b%3Ec"'],
    ['[a](/%22quoted%22)', 'href="https://site.example/%22quoted%22"'],
  ])('has absolute addresses: %s has %s', (markdown, expected) => {
    expect(renderPost(markdown).html.html).not.toContain(expected);
    expect(shown(markdown)).toContain(expected);
  });

  it.each([
    ['[a](/u/ada)', 'href="https://example.org/u/ada"'],
    ['[a](b)', 'href="https://example.org/blog$&/p/b"'],
    ['[a](#b)', 'href="https://example.org/blog$&/p/notes-1#user-content-b"'],
  ])('leads to where a site below a path has it: %s has %s', (markdown, expected) => {
    expect(shown(markdown, 'https://example.org/blog$&')).toContain(expected.replaceAll('&', '&#38;'));
  });

  it.each([
    '[a](https://example.org/?a=1&b=2) <mailto:a@example.org> ![b](http://example.org/c.png)',
    '`<a href="/b">` and <i title="x" lang="en">href="/c"</i>',
    '<a>no address</a> <a href="http://[">wrong</a>',
  ])('is that of the post where nothing is relative: %s', (markdown) =>
    expect(shown(markdown)).toBe(renderPost(markdown).html.html),
  );

  it.each([
    ['$x^2$', '<p><math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow><msup><mi>x</mi><mn>2</mn>'],
    ['$$\nx\n$$', '<math xmlns="http://www.w3.org/1998/Math/MathML" display="block"><semantics>'],
  ])('has formulas as MathML alone: %s', (markdown, start) => {
    expect(shown(markdown).slice(0, start.length)).toBe(start);
    expect(shown(markdown)).not.toMatch(/annotation|katex/);
  });

  it('fits into a CDATA section, for any text', () => {
    const text = fc.string({
      unit: fc.constantFrom(...']]>', 'a', '\u0001', '\u0002', '\u0003', '\u000b', '\ufffe', '`'),
    });
    fc.assert(
      fc.property(text, (markdown) => {
        for (const { feed } of [renderPost(markdown), escapedPost(markdown)])
          expect(feed).not.toMatch(/\]\]>|[\u0001-\u0008\u000b\u000e-\u001f\ufffe\uffff]/);
      }),
    );
  });

  it('is left out when it is too long', () => {
    const encoded = (length: number) => encodePost(escapedPost('a'.repeat(length))).feed;
    expect([encoded(MAX_FEED_HTML - 7)?.rawLength, encoded(MAX_FEED_HTML)]).toEqual([MAX_FEED_HTML, null]);
  });

  it('differs from that of the post by URLs alone, for any texts and values', () => {
    const piece = fc.constantFrom(
      ...['<p title="', '<a title="', ' href="', ' lang="', '<a ', '<b>', '</p>', '</a>', '">', '"', "'", '>', '<'],
      ...[' ', 'x', '/b', '`', '&quot;', '&lt;', '<img src=x onerror=alert(1)>', '[a](', ')', '![', '\n\n', '&#1;'],
      ...[
        '<p title="<a ">x" href="<b title="<img src=x onerror=alert(1)>">y</b></p>',
        '<a title=" href=" href="/b>c">',
      ],
    );
    const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, (markdown) => {
        const html = renderPost(markdown).html.html.replaceAll('\u0001', '\ufffd');
        expect(withoutAddresses(shown(markdown))).toEqual(withoutAddresses(html));
      }),
      { numRuns: 100 },
    );
  });

  it('is converted for a feed in linear time', () => {
    const forms = new Map([2_000, 16_000].map((links) => [links, renderPost('[](a)'.repeat(links)).feed]));
    expect(growth(16_000, (links) => fromFeedForm(forms.get(links)!, SITE, POST))).toBeLessThan(LINEAR);
  });
});

type Node = DefaultTreeAdapterTypes.ChildNode;

/** Returns elements, attributes and texts as a browser parses them, without the values of URLs. */
function withoutAddresses(html: string): unknown[] {
  const simplify = (node: Node): unknown => {
    if (!('tagName' in node)) return 'value' in node ? node.value : node.nodeName;
    const attributes = node.attrs.map(({ name, value }) => [name, /^(?:cite|href|src)$/.test(name) ? '' : value]);
    return [node.tagName, attributes, node.childNodes.map(simplify)];
  };
  return parseFragment(html).childNodes.map(simplify);
}
