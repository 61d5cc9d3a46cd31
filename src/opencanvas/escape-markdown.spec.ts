import fc from 'fast-check';
import { renderPost } from '../rendering/render-markdown.js';
import { oneLine } from '../rendering/visible-text.js';
import { escapeMarkdown } from './escape-markdown.js';

const TAGS = ['<b>', '</b>', '<img src=x onerror=alert(1)>', '<!--', '&lt;', '&'];
const SIGNS = [
  '*',
  '_',
  '`',
  '[',
  '](',
  ')',
  '!',
  '# ',
  '- ',
  '+ ',
  '1. ',
  '2) ',
  '> ',
  '$',
  '|',
  '~~',
  '\\',
  '---',
  '=',
];

describe('escapeMarkdown', () => {
  it('writes text that Markdown shows as it was', () => {
    const parts = fc.array(fc.constantFrom('a', 'b ', ' ', ...TAGS, ...SIGNS), { maxLength: 12 });
    fc.assert(
      fc.property(parts, (some) => {
        const text = oneLine(some.join(''));
        expect(renderPost(escapeMarkdown(text)).read.text).toBe(text);
      }),
    );
  });
});
