import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { seen } from '../../test/support/seen-text.js';
import { htmlToMarkdown } from './html-to-markdown.js';
import { renderMarkdown } from './render-markdown.js';

const markdownOf = (html: string): string => htmlToMarkdown(html)!.markdown;
const RUNS = process.env['TEST_SCALE'] === 'long' ? 5_000 : 200;

const FOLDER = join(import.meta.dirname, '../../test/data/html');
const pages = readdirSync(FOLDER).flatMap((name) => (name.endsWith('.html') ? [name.slice(0, -'.html'.length)] : []));

describe.each(pages)('a page of %s', (name) => {
  const html = readFileSync(join(FOLDER, `${name}.html`), 'utf8');

  it('shows readers the same words', () => {
    expect(seen(renderMarkdown(markdownOf(html)).html)).toBe(seen(html));
  });

  it('becomes this Markdown', () => {
    const file = join(FOLDER, `${name}.txt`);
    const { markdown, dropped } = htmlToMarkdown(html)!;
    const result = `${markdown}\n<!-- dropped: ${dropped.map(({ element, count }) => `${element} ${count}`).join(', ')} -->\n`;
    if (process.env['TEST_UPDATE'] !== undefined) writeFileSync(file, result);
    expect(result).toBe(readFileSync(file, 'utf8'));
  });
});

describe('HTML as Markdown', () => {
  it.each([
    ['<p>a <b>b </b>c<i> d</i></p>', 'a **b** c *d*\n'],
    [
      '<p>costs $5 and $6, *not* _it_ [x] &lt;b&gt; #1</p>',
      String.raw`costs $5 and $6, \*not\* \_it\_ \[x] \<b> #1` + '\n',
    ],
    ['<p>a<br>b</p>\n\n    <p>c</p>', 'a\\\nb\n\nc\n'],
    ['<p>H<sub>2</sub>O, <kbd>Ctrl</kbd></p>', 'H<sub>2</sub>O, <kbd>Ctrl</kbd>\n'],
    ['<ul><li>a<ul><li>b</li></ul></li></ul>', '- a\n  - b\n'],
    ['<ul><li><input type="checkbox" checked> a</li></ul>', '- [x] a\n'],
    ['<ol type="a"><li>x</li></ol>', '<ol type="a"><li>x</li></ol>\n'],
    ['<pre><code class="language-ts">a\n\nb</code></pre>', '```ts\na\n\nb\n```\n'],
    ['<table><tr><th>a</th></tr><tr><td>b|c</td></tr></table>', '| a |\n| - |\n| b\\|c |\n'],
    [
      '<table><tr><td colspan="2">b</td></tr></table>',
      '<table><tbody><tr><td colspan="2">b</td></tr></tbody></table>\n',
    ],
    ['<dl><dt>a</dt><dd><pre>b\n\nc</pre></dd></dl>', '<dl><dt>a</dt><dd><pre>b&#10;&#10;c</pre></dd></dl>\n'],
    ['<details><summary>a</summary><p>b</p></details>', '<details><summary>a</summary>\n\nb\n\n</details>\n'],
    ['<img src="https://a.example/b" alt="c">', '![c](https://a.example/b)\n'],
    ['<h2 id="far">Near</h2><a href="#far">x</a>', '## <a id="far"></a>Near\n\n[x](#far)\n'],
    ['<h2 id="near">Near</h2><a href="#near">x</a>', '## Near\n\n[x](#near)\n'],
    ['<article>a</article><aside>b</aside>', 'a\n\nb\n'],
    ['<p></p>', ''],
  ])('%j -> %j', (html, markdown) => expect(markdownOf(html)).toBe(markdown));

  it('names what it dropped, most frequent first', () => {
    const html =
      '<iframe src="https://a.example"></iframe><font>a</font><font>b</font><script>c</script><input type="email">';
    expect(htmlToMarkdown(html)).toEqual({
      markdown: 'ab\n',
      dropped: ['font', 'iframe', 'input', 'script'].map((element, at) => ({ element, count: at === 0 ? 2 : 1 })),
    });
  });

  it('names at most 50 elements', () => {
    const html = Array.from({ length: 60 }, (_, at) => `<x-${at}-${'y'.repeat(at)}></x-${at}-${'y'.repeat(at)}>`).join(
      '',
    );
    const lengths = htmlToMarkdown(html)!.dropped.map(({ element }) => element.length);
    expect([lengths.length, Math.max(...lengths)]).toEqual([50, 40]);
  });

  it.each([
    ['nested elements', '<div>'.repeat(40_000)],
    ['formatting that each block opens again', '<p><b id=1><i id=2><u id=3><s id=4><em id=5>x'.repeat(4_000)],
  ])('is refused for too many %s', (_, html) => expect(htmlToMarkdown(html)).toBeNull());

  const words = fc
    .stringMatching(/^[a-z*_$~`#|<>&[\]()!\\.:@+=-]{1,8}$/)
    .map((word) => word.replace(/[<>&]/g, (mark) => `&#${mark.charCodeAt(0)};`));
  const text = fc.array(words, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(' '));
  const { tree } = fc.letrec<{ tree: string; element: string }>((tie) => ({
    element: fc
      .tuple(
        fc.constantFrom(
          ...'p div b i em strong u span a code pre blockquote ul ol li h1 h2 table tr td th dl dt dd'.split(' '),
          ...'details summary figure figcaption mark kbd sub del article section center font br hr'.split(' '),
        ),
        fc.constantFrom(
          '',
          ' align=center',
          ' title="a|b"',
          ' id=x lang=de',
          ' href="https://a.example/_b_"',
          ' colspan=2',
        ),
        tie('tree'),
      )
      .map(([name, attributes, inner]) => `<${name}${attributes}>${inner}</${name}>`),
    tree: fc
      .array(fc.oneof({ depthSize: 'small', withCrossShrink: true }, text, tie('element')), { maxLength: 5 })
      .map((parts) => parts.join('')),
  }));

  it('shows readers the same words, of any tree', () => {
    fc.assert(
      fc.property(tree, (html) => {
        expect(seen(renderMarkdown(markdownOf(html)).html)).toBe(seen(html));
      }),
      { numRuns: RUNS },
    );
  });
});
