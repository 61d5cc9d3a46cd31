import fc from 'fast-check';
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import { growth, LINEAR } from '../../test/support/growth.js';
import { renderMarkdown } from '../posts/html/render-markdown.js';
import { withAbsoluteLinks } from './absolute-links.js';

const POST = 'https://site.example/p/notes-1';

describe('links of a post that is shown elsewhere', () => {
  it.each([
    ['[a](/u/ada)', 'href="https://site.example/u/ada"'],
    ['[a](b?c=d&e=f)', 'href="https://site.example/p/b?c=d&#38;e=f"'],
    ['[a](//cdn.example/x)', 'href="https://cdn.example/x"'],
    ['[a](#b)', 'href="https://site.example/p/notes-1#user-content-b"'],
    ['![a](c.png)', 'src="https://site.example/p/c.png"'],
    ['<blockquote cite="/b">a</blockquote>', 'cite="https://site.example/b"'],
    ['<a href="/b>c" title="d > e">a</a>', 'href="https://site.example/b%3Ec"'],
    ['[a](/%22quoted%22)', 'href="https://site.example/%22quoted%22"'],
  ])('of %s lead to the same place: %s', (markdown, expected) => {
    const { html } = renderMarkdown(markdown);
    expect(html).not.toContain(expected);
    expect(withAbsoluteLinks(html, POST)).toContain(expected);
  });

  it.each([
    '[a](https://example.org/?a=1&b=2) <mailto:a@example.org> ![b](http://example.org/c.png)',
    '`<a href="/b">` and <i title="x" lang="en">href="/c"</i> $x^2$',
    '<a>no address</a> <a href="http://[">wrong</a>',
  ])('stay as they are where they are absolute, and text where it is text: %s', (markdown) => {
    const { html } = renderMarkdown(markdown);
    expect(withAbsoluteLinks(html, POST)).toBe(html);
  });

  it('is all that changes, whatever stands in texts and values', () => {
    const piece = fc.constantFrom(
      ...['<p title="', '<a title="', ' href="', ' lang="', '<a ', '<b>', '</p>', '</a>', '">', '"', "'", '>', '<'],
      ...[' ', 'x', '/b', '`', '&quot;', '&lt;', '<img src=x onerror=alert(1)>', '[a](', ')', '![', '\n\n', '$'],
      ...[
        '<p title="<a ">x" href="<b title="<img src=x onerror=alert(1)>">y</b></p>',
        '<a title=" href=" href="/b>c">',
      ],
    );
    const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, (markdown) => {
        const { html } = renderMarkdown(markdown);
        expect(withoutAddresses(withAbsoluteLinks(html, POST))).toEqual(withoutAddresses(html));
      }),
      { numRuns: 300 },
    );
  });

  it('are found in linear time', () => {
    const htmlOf = (tags: number) => `<p title="${'<a '.repeat(tags)}">x</p>`;
    // as the renderer writes it
    expect(renderMarkdown(htmlOf(3)).html).toBe(htmlOf(3));

    expect(growth(64_000, (tags) => withAbsoluteLinks(htmlOf(tags), POST))).toBeLessThan(LINEAR);
  });
});

type Node = DefaultTreeAdapterTypes.ChildNode;

/** Elements, attributes and texts as a browser reads them, but for the values of addresses. */
function withoutAddresses(html: string): unknown[] {
  const read = (node: Node): unknown => {
    if (!('tagName' in node)) return 'value' in node ? node.value : node.nodeName;
    const attributes = node.attrs.map(({ name, value }) => [name, /^(?:cite|href|src)$/.test(name) ? '' : value]);
    return [node.tagName, attributes, node.childNodes.map(read)];
  };
  return parseFragment(html).childNodes.map(read);
}
