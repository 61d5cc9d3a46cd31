import fc from 'fast-check';
import { PhraseAutomaton } from './phrase-automaton.js';

/** Words that repeat, so that phrases overlap, contain each other and share beginnings. */
const words = (options: fc.ArrayConstraints) => fc.array(fc.constantFrom('a', 'b', 'c'), options);

function naive(phrases: string[][], text: string[]): number[] {
  const isAt = (phrase: string[], at: number) => phrase.every((word, index) => text[at + index] === word);
  return phrases.flatMap((phrase, index) => (text.some((_, at) => isAt(phrase, at)) ? [index] : []));
}

describe('the phrases that an automaton finds', () => {
  it('are those of a naive scan, for any phrases and any text', () => {
    fc.assert(
      fc.property(
        fc.array(words({ minLength: 1, maxLength: 6 }), { maxLength: 20 }),
        words({ maxLength: 40 }),
        (phrases, text) => {
          const found = [...new PhraseAutomaton(phrases).match(text)].sort((a, b) => a - b);

          expect(found).toEqual(naive(phrases, text));
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('are none without phrases, words or a text', () => {
    expect(new PhraseAutomaton([]).match(['a'])).toEqual(new Set());
    expect(new PhraseAutomaton([[]]).match(['a'])).toEqual(new Set());
    expect(new PhraseAutomaton([['a']]).match([])).toEqual(new Set());
  });

  it('include phrases that end within a longer phrase', () => {
    const phrases = [['a', 'b', 'c', 'd'], ['b', 'c'], ['c'], ['b', 'c', 'e'], ['a', 'b', 'c', 'd', 'e']];

    expect(new PhraseAutomaton(phrases).match(['a', 'b', 'c', 'd'])).toEqual(new Set([0, 1, 2]));
  });
});
