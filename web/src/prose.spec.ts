import { proseOf } from './prose.js';
import { textsOf } from './texts/index.js';

const adapt = (html: string) => proseOf(html, textsOf('en'));

describe('HTML of users on the site', () => {
  it('has classes in place of styles, one for each style', () => {
    const { html, style } = adapt('<span class="a" style="height:1em">x</span><span style="height:1em"></span>');
    expect(html).toBe('<span class="a f0">x</span><span class="f0"></span>');
    expect(style).toBe('.f0.f0{height:1em}');
  });

  it.each(['color:red}body{display:none', 'width:</style><script>', 'background:url(x)"', 'color:\\72 ed'])(
    'has no style that could end its rule: %s',
    (value) => {
      const { html, style } = adapt(`<span style="${value.replaceAll('"', '&quot;')}">x</span>`);
      expect([html, style]).toEqual(['<span>x</span>', undefined]);
    },
  );

  it('changes no text and no values of attributes that look like tags', () => {
    const html = '<a title="<pre><input style=&quot;x&quot;>" href="#x">a style="b" &#x3C;pre></a>';
    expect(adapt(html)).toEqual({ html, style: undefined });
  });

  it('names check boxes, and lets the keyboard scroll code', () => {
    const html = '<input type="checkbox" checked disabled><input type="checkbox" disabled><pre><code>x</code></pre>';
    expect(adapt(html).html).toBe(
      '<input aria-label="Done" type="checkbox" checked disabled>' +
        '<input aria-label="Not done" type="checkbox" disabled><pre tabindex="0"><code>x</code></pre>',
    );
  });
});
