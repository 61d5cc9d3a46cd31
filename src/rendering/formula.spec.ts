import { formulaHtml } from './formula.js';

const REPEATED = 30;

describe('a formula', () => {
  it.each([
    String.raw`\raisebox{-9999em}{y}`,
    String.raw`\kern-9999em x`,
    String.raw`\hspace{-9999em} x`,
    String.raw`\mskip-9999mu y`,
    String.raw`\rule[-9999em]{1em}{1em}`,
    String.raw`\begin{array}{c}a\\[-9999em]b\end{array}`,
    String.raw`{a \above -9999em b}`,
    String.raw`\kern-5em`.repeat(REPEATED),
    String.raw`\begin{array}{c}${String.raw`a\\[50em]`.repeat(REPEATED)}\end{array}`,
    String.raw`\smash{\raisebox{49em}{`.repeat(9) + 'x' + '}}'.repeat(9),
    String.raw`\smash{\raisebox{-49em}{`.repeat(9) + 'x' + '}}'.repeat(9),
  ])('that would leave its place is refused: %s', (tex) => {
    expect([formulaHtml(tex, true), formulaHtml(tex, false)]).toEqual([undefined, undefined]);
  });

  it.each([
    String.raw`\sqrt{\frac{a}{b}} \xrightarrow{f} \overbrace{x+y} \widehat{abc}`,
    String.raw`\! \mathrlap{x}\llap{y} \hspace{-2em} \raisebox{-3em}{y}`,
    String.raw`\begin{pmatrix}${String.raw`1 & 2 \\ `.repeat(REPEATED)}\end{pmatrix}`,
    String.raw`\rule{50em}{2em} \kern40em`,
    'a,'.repeat(1_000),
    String.raw`\smash{\raisebox{30em}{x}}`,
    String.raw`\frac{a}{`.repeat(20) + 'b' + '}'.repeat(20),
  ])('that has its size is shown: %s', (tex) => {
    expect(formulaHtml(tex, true)).toContain('class="katex-display"');
  });
});
