import { wordsIn } from '../../src/rendering/post-text.js';
import type { ReadText } from '../../src/rendering/rendered-html.js';
import { type TextContext, VisibleText } from '../../src/rendering/visible-text.js';

const PLAIN: TextContext = { isCode: false, isFolded: false, isHidden: false };
const FORMULA = /\$([^$]+)\$/;

/**
 * Derives the server's data from a text, for the few forms that MarkdownWriter writes. Rendering a hundred thousand texts would take an
 * hour. A spec compares both.
 */
export function textOfGenerated(markdown: string): { preview: string; words: number; read: ReadText } {
  const visible = new VisibleText();
  const headings: string[] = [];
  let fence = '';
  let tex: string[] = [];
  for (const line of markdown.split('\n')) {
    visible.separate('p');
    if (fence === '' && /^(?:```|\$\$)/.test(line)) fence = line.slice(0, 3).replace(/\s/g, '');
    else if (fence !== '' && line === fence) {
      if (fence === '$$') visible.addFormula(tex.join('\n'), PLAIN, true);
      [fence, tex] = ['', []];
    } else if (fence === '$$') tex.push(line);
    else if (fence !== '') visible.add(line, { ...PLAIN, isCode: true });
    else if (!line.startsWith('| ---')) addLine(visible, line, headings);
  }
  return { preview: visible.preview, words: wordsIn(visible.prose), read: { headings, text: visible.text } };
}

function addLine(visible: VisibleText, line: string, headings: string[]): void {
  const text = line
    .replace(/^(?:- |\d\. |> |## )/, '')
    .replace(/\[([^[\]]+)\]\([^()]+\)/g, '$1')
    .replace(/\*+|`/g, '');
  if (line.startsWith('## ')) headings.push(text);
  const pieces = (line.startsWith('| ') ? text.replaceAll('|', '\n') : text).split(FORMULA);
  for (const [at, piece] of pieces.entries())
    if (at % 2 === 0) visible.add(piece, PLAIN);
    else visible.addFormula(piece, PLAIN, false);
}
