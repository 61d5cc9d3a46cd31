import { renderMarkdown } from './render-markdown.js';

const idsOf = (html: string): string[] =>
  [...html.matchAll(/<h\d(?: class="[^"]*")? id="([^"]+)"/g)].map(([, id]) => id!);

describe('headings of a text', () => {
  it.each([
    ['# Title[^1]\n\n[^1]: a', 'Title', 'title'],
    ['## Use it! 🎉', 'Use it! 🎉', 'use-it-'],
    ['# Été & `code_x`', 'Été & code_x', 'été--code_x'],
    ['# 深層', '深層', '深層'],
    ['# 🎉', '🎉', 'section'],
  ])('have the ids that GitHub gives: %j', (markdown, text, id) => {
    expect(renderMarkdown(markdown).toc).toEqual([
      { level: markdown.lastIndexOf('#', 2) + 1, id: `user-content-${id}`, text },
    ]);
  });

  it.each([
    ['# A\n\n# A\n\n# A 2\n', ['user-content-a', 'user-content-a-1', 'user-content-a-2']],
    ['# B\n\n<h2 id="b">q</h2>\n', ['user-content-b', 'user-content-q']],
    [
      '## Footnote label\n\nText[^1].\n\n[^1]: A note.\n',
      ['user-content-footnote-label-1', 'user-content-footnote-label'],
    ],
  ])('have ids of their own: %j', (markdown, ids) => {
    const { html, toc } = renderMarkdown(markdown);
    expect(idsOf(html)).toEqual(ids);
    expect(toc.map(({ id }) => id)).toEqual(ids.slice(0, toc.length));
  });

  it('are cut between two characters in the table of contents', () => {
    const { toc } = renderMarkdown(`# ${'a'.repeat(199)}😀b\n`);
    expect(toc.map(({ text }) => text)).toEqual(['a'.repeat(199)]);
  });
});

describe('links within a text', () => {
  it.each([
    ['<a name="use"></a>\n\n[a](#use)', '#user-content-use', 'user-content-use'],
    ['# Use it\n\n[a](#Use-it)', '#user-content-use-it', 'user-content-use-it'],
    ['# b\n\n<h2 id="own">q</h2>\n\n[a](#own)', '#user-content-own', 'user-content-own'],
    ['# b\n\n[a](#user-content-b)', '#user-content-b', 'user-content-b'],
  ])('lead where they lead on GitHub: %j', (markdown, href, id) => {
    const { html } = renderMarkdown(markdown);
    expect(html).toContain(`href="${href}"`);
    expect(html).toContain(`id="${id}"`);
  });

  it('may lead to the top of the page', () => {
    expect(renderMarkdown('[a](#) [b](#top)').html).toBe('<p><a href="#">a</a> <a href="#top">b</a></p>');
  });
});

describe('the text that readers see', () => {
  it('has alerts', () => {
    expect(renderMarkdown('> [!NOTE]\n> Read *this*.').html).toBe(
      '<blockquote class="markdown-alert markdown-alert-note">\n<p class="markdown-alert-title">Note</p><p>Read <em>this</em>.</p>\n</blockquote>',
    );
    expect(renderMarkdown('> [!NO] a').html).toBe('<blockquote>\n<p>[!NO] a</p>\n</blockquote>');
  });

  it('has sizes and alignment', () => {
    const html = '<p align="center"><img src="/a" width="50%" height="20px" align="right"></p>';
    expect(renderMarkdown(html).html).toContain(
      '<p align="center"><img src="/a" width="50%" height="20px" align="right"',
    );
    expect(renderMarkdown('<img src="/a" width="500%" align="x">').html).not.toMatch(/width|align/);
  });

  it('has blocks with a direction of their own if a text contains right-to-left letters', () => {
    expect(renderMarkdown('שלום\n\n- a').html).toBe('<p dir="auto">שלום</p>\n<ul>\n<li dir="auto">a</li>\n</ul>');
    expect(renderMarkdown('a').html).toBe('<p>a</p>');
  });
});
