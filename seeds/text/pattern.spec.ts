import { Random } from '../sampling/random.js';
import { fillPattern, parsePattern } from './pattern.js';
import { isWritten, REGISTERS, SentencePools, topicsIn } from './sentence-pool.js';
import { LOCALES } from '../words/names.js';

const words = { fill: (_: Random, slot: string) => slot.toUpperCase() };

describe('a pattern', () => {
  it('fills slots, also those of the chosen words', () => {
    const filled = fillPattern(parsePattern('the {thing} [saw {name}] near {town}.'), words, new Random(1));
    expect(filled).toBe('The THING saw NAME near TOWN.');
  });

  it('has each of its choices', () => {
    const random = new Random(1);
    const pattern = parsePattern('[one|of|these]');
    const filled = new Set(Array.from({ length: 50 }, () => fillPattern(pattern, words, random)));
    expect([...filled].sort()).toEqual(['Of', 'One', 'These']);
  });

  it('marks a thing that is not at the beginning', () => {
    expect(fillPattern(parsePattern('{things} and {thing}'), words, new Random(1), '*x*')).toBe('THINGS and *THING*');
  });
});

describe('sentences', () => {
  const languages = LOCALES.map(({ language }) => language).filter(isWritten);

  it.each(languages)('are complete and differ in %s', (language) => {
    const pools = new SentencePools(1);
    for (const topic of topicsIn(language))
      for (const register of REGISTERS) {
        const sentences = pools.of({ language, topic }).sentences(register);
        expect(
          sentences.filter((sentence) => /[{}|]|undefined(?! behavior)|  | [.,]/.test(sentence.replace(' ?', '?'))),
        ).toEqual([]);
        expect(new Set(sentences).size).toBeGreaterThan(20);
      }
  });
});
