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
});
