import { html as parse5 } from 'parse5';
import { renderMarkdown } from './render-markdown.js';

const htmlOf = (markdown: string): string => renderMarkdown(markdown).html;
const formulasIn = (markdown: string): string[] =>
  [...htmlOf(markdown).matchAll(/<annotation encoding="application\/x-tex">([^<]*)</g)].map(([, tex]) => tex!);

describe('raw HTML', () => {
  const names = [...new Set([...Object.values<string>(parse5.TAG_NAMES), 'fencedframe', 'slot', 'my-element'])];
  const wordsOf = (markdown: string): string[] =>
    htmlOf(markdown)
      .replace(/<[^<>]*>/g, ' ')
      .match(/\bw\d\b/g) ?? [];

  it.each(names)('loses no word around <%s>', (name) => {
    const tags = [`<${name}>`, `<${name} title="x" >`, `<${name}/>`, `</${name}>`, `<${name}></${name}>`, `<${name}`];
    for (const tag of [...tags, `<${name.toUpperCase()}>`]) {
      const all = `w0 ${tag} w1 *w2*\nw3\n\n- w4 ${tag}\n\n${tag}\nw5\n\nw6 | w7\n-- | --\n${tag} | w8\n\n# w9`;
      expect([tag, wordsOf(all)]).toEqual([tag, ['w0', 'w1', 'w2', 'w3', 'w4', 'w5', 'w6', 'w7', 'w8', 'w9']]);
    }
  });

  it.each([
    ['<div\nword', '&#x3C;div\nword'],
    ['<pre\nword\n\nmore', '&#x3C;pre\nword\n\nmore'],
  ])('is text where a tag has no end: %j', (markdown, html) => expect(htmlOf(markdown)).toBe(html));

  it('that GFM forbids is text', () => {
    expect(htmlOf('Use a <title> tag, and <select>.\n\nNext')).toBe(
      '<p>Use a &#x3C;title> tag, and &#x3C;select>.</p>\n<p>Next</p>',
    );
  });
});

describe('dollars', () => {
  it.each([
    'It costs $10 and the other costs $20.',
    'US$5 and US$6, $HOME and $PATH',
    '$ a$ and $b $',
    '$1,000 to $2,000',
    String.raw`\$a\$`,
    '$a\n\nb$',
    '$$$a$$$',
  ])('of %j are text', (markdown) => expect(formulasIn(markdown)).toEqual([]));

  it.each([
    ['Let $x^2$ be, and $y$.', ['x^2', 'y']],
    ['the $n$th, ($a + b$), $a$-$b$', ['n', 'a + b', 'a', 'b']],
    [String.raw`costs $\$5$ and $a \\$`, [String.raw`\$5`, String.raw`a \\`]],
    ['It costs $10 and $x$', ['x']],
  ])('of %j are formulas', (markdown, formulas) => expect(formulasIn(markdown)).toEqual(formulas));

  it.each([
    ['$$x$$'],
    ['$$\nx\n$$'],
    ['$$\nx\n\n$$\n'],
    ['> $$x$$'],
    ['$$ x\n$$'],
    ['$$x\n$$\nmore'],
    ['Text\n$$\nx\n$$\nmore'],
    ['inside $$x$$ of it'],
  ])('of %j are a block', (markdown) => {
    expect(formulasIn(markdown).map((tex) => tex.trim())).toEqual(['x']);
    expect(htmlOf(markdown)).toContain('<span class="katex-display">');
  });

  it('around an environment of several lines are a block, and the rest is text', () => {
    const tex = String.raw`\begin{aligned}` + '\na &= b\n' + String.raw`\end{aligned}`;
    const { html } = renderMarkdown(`$$${tex}$$\n\nAfter *it*`);
    expect(html).toContain('<span class="katex-display">');
    expect(html).toContain('<p>After <em>it</em></p>');
  });

  it('without an end are searched once', () => {
    // A search from each dollar to the end of the paragraph would take billions of steps.
    for (const piece of ['$a ', '$$a$', '$$$a']) expect(formulasIn(piece.repeat(50_000) + '$')).toEqual([]);
  });
});

describe('other signs', () => {
  it('strike through with two tildes only', () => {
    expect(htmlOf('下午3~5点和7~9点 ~~old~~')).toBe('<p>下午3~5点和7~9点 <del>old</del></p>');
  });

  it.each([
    ['**これは。**この', '<strong>これは。</strong>この'],
    ['这是**“引用”**的', '这是<strong>“引用”</strong>的'],
    ['이것은**(강조)**입니다', '이것은<strong>(강조)</strong>입니다'],
  ])('of emphasis work next to CJK punctuation: %j', (markdown, html) => {
    expect(htmlOf(markdown)).toBe(`<p>${html}</p>`);
  });

  it.each(['```\n\nfoo\n```', '    \n\n    foo\n', '~~~\n\n\n~~~'])(
    'keep a blank first line of code: %j',
    (markdown) => {
      const lines = markdown.startsWith('~') ? '\n\n' : markdown.startsWith('`') ? '\nfoo\n' : 'foo\n';
      expect(htmlOf(markdown)).toBe(`<pre><code>${lines}</code></pre>`);
    },
  );
});
