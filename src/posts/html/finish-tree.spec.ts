import { renderMarkdown } from './render-markdown.js';

const idsOf = (html: string): string[] =>
  [...html.matchAll(/<h\d(?: class="[^"]*")? id="([^"]+)"/g)].map(([, id]) => id!);

describe('headings of a text', () => {
  it.each([
    ['# A\n\n# A\n\n# A 2\n', ['user-content-a', 'user-content-a-2', 'user-content-a-2-2']],
    ['# B\n\n<h2 id="b">q</h2>\n', ['user-content-b-2', 'user-content-b']],
    [
      '## Footnote label\n\nText[^1].\n\n[^1]: A note.\n',
      ['user-content-footnote-label-2', 'user-content-footnote-label'],
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
