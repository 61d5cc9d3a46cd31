import { elementsAsOpenCanvas } from '../../test/support/opencanvas-renderer.js';
import { VECTORS } from '../../test/support/xss-vectors.js';
import { ALLOW_LIST } from '../rendering/allow-list.js';
import { escapeMarkdown } from './escape-markdown.js';
import { safeMarkdown } from './safe-markdown.js';

/** Returns the parts that could run code or load a resource other than an image. */
function hostileParts(markdown: string): string[] {
  return elementsAsOpenCanvas(markdown).flatMap(({ tagName, properties }) => [
    ...(ALLOW_LIST.tagNames!.includes(tagName) ? [] : [tagName]),
    ...Object.entries(properties).flatMap(([name, value]) => {
      const scheme = /^([^/?#:]*):/.exec(String(value).trim())?.[1] ?? 'https';
      const isUrl = ['href', 'src', 'cite'].includes(name);
      const isSafe = isUrl ? /^(https?|mailto|media)$/i.test(scheme) : !/^on|^style$|^srcdoc$/i.test(name);
      return isSafe ? [] : [`${tagName} ${name}=${String(value)}`];
    }),
  ]);
}

describe('Markdown for a client that does not sanitize', () => {
  it('would show a hostile part if it were not escaped', () => {
    expect(VECTORS.filter((vector) => hostileParts(vector).length > 0).length).toBeGreaterThan(100);
  });

  it.each([
    ['a post', safeMarkdown],
    ['a preview', escapeMarkdown],
  ])('has no hostile part in the text of %s', (_, escape) => {
    const faults = VECTORS.map((vector) => [vector, hostileParts(escape(vector))]).filter(([, parts]) => parts!.length);

    expect(faults).toEqual([]);
  });

  it('keeps all that is in the list of docs/html.md, and other texts, byte for byte', () => {
    const texts = [
      '# A *b*\n\n`<i>` and 1 < 2\n\n```html\n<script>\n```\n',
      '<details open>\n<summary>More</summary>\n\n**text**\n\n</details>\n',
      '<img src="https://a.example/b.png" width="50%"> <kbd>x</kbd> [y](https://c.example "t") <https://d.example>',
      '$a < b$ and $$\n\\frac{a}{b}\n$$\n',
      '![own](media:6650c3a2f1d2b3c4d5e6f70c) [x][1]\n\n[1]: /here\n',
    ];

    expect(texts.map(safeMarkdown)).toEqual(texts);
  });

  it.each([
    ['<script>alert(1)</script>', '&lt;script>alert(1)&lt;/script>'],
    ['a <b onclick="x()">b</b>', 'a &lt;b onclick="x()">b</b>'],
    ['[x](javascript:alert(1))', '\\[x](javascript:alert(1))'],
    ['![x](data:text/html,y)', '!\\[x](data:text/html,y)'],
    ['<javascript:alert(1)>', '&lt;javascript:alert(1)>'],
    ['[x][1]\n\n[1]: javascript:y', '[x][1]\n\n\\[1]: javascript:y'],
    ['$ ` $ <img src=x onerror=y> `', '$ ` $ &lt;img src=x onerror=y> `'],
    ['[a](javascript:x "<img onerror=y>")', '\\[a](javascript:x "&lt;img onerror=y>")'],
  ])('shows %j as text', (markdown, expected) => {
    expect(safeMarkdown(markdown)).toBe(expected);
  });
});
