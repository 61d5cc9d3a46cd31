import { autop } from './autop.js';

const lines = (html: string): string => html.replaceAll('\n', '');

it.each([
  ['a\nb\n\nc', '<p>a<br />b</p><p>c</p>'],
  ['a\r\n\r\n \r\nb', '<p>a</p><p>b</p>'],
  ['a <b>b\n\nc</b>', '<p>a <b>b</p><p>c</b></p>'],
  ['a<ul>\n<li>b\n\nc</li>\n</ul>d', '<p>a</p><ul><li>bc</li></ul><p>d</p>'],
  ['<pre>a\n\nb</pre>', '<pre>ab</pre>'],
  ['<div>a\n\nb</div>', '<div><p>a</p><p>b</p></div>'],
  ['<table><tr><td><p>a</p>\n\nb</td></tr></table>c', '<table><tr><td><p>a</p>b</td></tr></table><p>c</p>'],
  ['</pre>a\n\nb', '</pre><p>a</p><p>b</p>'],
  ['[caption id="x"]<img src="a"> b[/caption]', '<figure><img src="a"> b</figure>'],
  ['a < b\n\n<predicate>', '<p>a < b</p><p><predicate></p>'],
])('%j becomes paragraphs', (text, html) => expect(lines(autop(text))).toBe(html));

it('keeps the spaces of preformatted text, and a text of the block editor', () => {
  expect(autop('<pre>a\n\n  b</pre>')).toBe('<pre>a\n\n  b</pre>');
  const blocks = '<!-- wp:paragraph -->\n<p>a</p>\n\n<!-- /wp:paragraph -->';
  expect(autop(blocks)).toBe(blocks);
});
