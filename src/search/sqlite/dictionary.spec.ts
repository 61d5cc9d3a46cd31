import fc from 'fast-check';
import { isOneTypoApart } from '../spelling.js';
import { restsOf } from './dictionary.js';

const word = fc.string({ unit: fc.constantFrom(...'abcdé字𝒳'), minLength: 1, maxLength: 8 });

/** Returns every spelling of a word with one typo. */
function typosOf(text: string, letters: string[]): string[] {
  const units = [...text];
  const typos = units.flatMap((_, at) => {
    const swapped = [...units.slice(0, at), ...units.slice(at, at + 2).reverse(), ...units.slice(at + 2)];
    return [units.toSpliced(at, 1), swapped, ...letters.map((letter) => units.with(at, letter))];
  });
  const longer = letters.flatMap((letter) => [...units, ''].map((_, at) => units.toSpliced(at, 0, letter)));
  return [...typos, ...longer].map((typo) => typo.join('')).filter((typo) => typo !== text);
}

describe('one typo', () => {
  it('is one letter added, missing or replaced, or two neighbors swapped', () => {
    fc.assert(
      fc.property(word, word, (one, other) => {
        const isTypo = typosOf(one, [...new Set([...one, ...other])]).includes(other);
        expect(isOneTypoApart(one, other)).toBe(isTypo);
        expect(isOneTypoApart(other, one)).toBe(isTypo);
      }),
      { numRuns: 300 },
    );
  });

  it('leaves a rest that both words have', () => {
    fc.assert(
      fc.property(word, (one) => {
        for (const other of typosOf(one, ['a', 'z'])) {
          const [ofOne, ofOther] = [
            [one, ...restsOf(one)],
            [other, ...restsOf(other)],
          ];
          expect(ofOne.some((rest) => ofOther.includes(rest))).toBe(true);
        }
      }),
      { numRuns: 100 },
    );
  });
});
