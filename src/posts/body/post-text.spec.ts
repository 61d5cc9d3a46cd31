import fc from 'fast-check';
import { PREVIEW_LENGTH, preview, readTimeMinutes, slugify } from './post-text.js';

/** Of a few attempts: a busy machine makes one longer, and not each. */
function shortestMs(boundMs: number, work: () => void): number {
  let shortest = Infinity;
  for (let attempt = 0; attempt < 5 && shortest >= boundMs; attempt++) {
    const startedAt = performance.now();
    work();
    shortest = Math.min(shortest, performance.now() - startedAt);
  }
  return shortest;
}

const graphemes = (text: string) => [...new Intl.Segmenter('und').segment(text)].map((part) => part.segment);

describe('slugify', () => {
  it.each([
    ['Hello, World!', 'hello-world'],
    ["  It's   a *trap*  ", 'its-a-trap'],
    ['Crème brûlée & Straße', 'creme-brulee-strasse'],
    ['Łódź, Đà Nẵng, Ærø', 'lodz-da-nang-aero'],
    ['Война и мир', 'voina-i-mir'],
    ['Περί ψυχής', 'peri-psychis'],
    ['深層学習', 'post'],
    ['🎉', 'post'],
  ])('%s -> %s', (title, slug) => expect(slugify(title)).toBe(slug));

  it('is always a short piece of a URL that needs no escaping', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (title) => {
        expect(slugify(title)).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
        expect(slugify(title).length).toBeLessThanOrEqual(80);
      }),
    );
  });
});

describe('preview', () => {
  it('reads like the text, without its markup', () => {
    const markdown = [
      '# A *bold* title',
      '',
      '> Quoted **words** and `code`, see [the paper](https://example.org/a_b) ![figure](x.png).',
      '- [ ] first',
      '2. second with snake_case and _emphasis_',
      '```ts',
      'const hidden = true;',
      '```',
      '$$',
      'E = mc^2',
      '$$',
      '| a | b |',
      '|---|---|',
      '| 1 | 2 |',
      '---',
      '<b>Bold</b> costs \\*5\\* <https://example.org>',
      '[ref]: https://example.org',
    ].join('\r\n');
    expect(preview(markdown)).toBe(
      'A bold title Quoted words and code, see the paper figure. first second with snake_case and emphasis a b 1 2 Bold costs *5* https://example.org',
    );
  });

  it('shows the code of a post that is nothing but code', () => {
    expect(preview('```\nlet a = 1;\n```')).toBe('let a = 1;');
  });

  it('never ends inside a character, and takes as many as fit', () => {
    const units = fc.constantFrom('a', 'é', 'e\u0301', '👩‍👩‍👧‍👦', '🇩🇪', '漢', 'नि', '각', '𝒳', ' ');
    fc.assert(
      fc.property(fc.array(units, { minLength: 300, maxLength: 900 }), (parts) => {
        const text = parts.join('').replace(/ +/g, ' ').trim();
        const cut = preview(text);
        expect(cut.length).toBeLessThanOrEqual(PREVIEW_LENGTH);
        const whole = graphemes(text);
        expect(graphemes(cut)).toEqual(whole.slice(0, graphemes(cut).length));
        const next = whole.slice(0, graphemes(cut).length + 1).join('');
        if (cut !== text) expect(next.length > PREVIEW_LENGTH || next.endsWith(' ')).toBe(true);
      }),
    );
  });

  it('keeps its bound for any text, and for one character of a thousand units', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 3000 }), (text) => {
        expect(preview(text).length).toBeLessThanOrEqual(PREVIEW_LENGTH);
      }),
    );
    expect(preview('a' + '\u0301'.repeat(1500)).length).toBe(PREVIEW_LENGTH);
  });

  it.each(['[', '[a](', '`', '*', '_', '<a', '![', '> ', '\\', '$$\n', '|', '1. ', '_a'])(
    'takes no longer for 100 kB of %j',
    (piece) => {
      const hostile = piece.repeat(100_000 / piece.length);
      expect(shortestMs(3_000, () => preview(hostile))).toBeLessThan(3_000);
    },
  );

  it.each([
    ['spaces and dashes', `${' '.repeat(800)}${'-'.repeat(1_600)}x`],
    ['spaces without a bar', `${' '.repeat(3_990)}x`],
    ['tabs and spaces around colons', `${'\t '.repeat(1_000)}:${'-:'.repeat(900)}x`],
  ])('takes no longer for 49 lines of %s', (_, line) => {
    const hostile = `${line}\n`.repeat(49);
    expect(shortestMs(500, () => preview(hostile))).toBeLessThan(500);
  });
});

describe('readTimeMinutes', () => {
  it('counts words, counts ideographs one by one, and is never zero', () => {
    expect(readTimeMinutes('')).toBe(1);
    expect(readTimeMinutes('word '.repeat(2200))).toBe(10);
    expect(readTimeMinutes('漢'.repeat(4000))).toBe(10);
    expect(readTimeMinutes('слово '.repeat(1100))).toBe(5);
  });
});
