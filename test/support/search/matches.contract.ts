import fc from 'fast-check';
import { type OpenIndex, postDocument, useIndex } from './test-index.js';
import { termsOf, wordsOf } from '../../../src/common/words.js';

/** Compares every engine with a scan. */
export const describeMatches = (open: OpenIndex): void =>
  describe('an index of arbitrary posts', () => {
    const index = useIndex(open);
    const vocabulary = [
      'loom',
      'loomed',
      'engine',
      'Ада',
      'ада',
      'naïve',
      'naive',
      'x',
      '学',
      '習',
      '研究',
      '2026',
      'don’t',
    ];
    const text = fc.array(fc.constantFrom(...vocabulary), { maxLength: 6 }).map((words) => words.join(' '));
    const post = fc.record({
      title: text,
      body: text.map((body) => `${body} .`),
      tags: fc.subarray(['loom', 'x-ray']),
    });
    const query = fc.array(fc.constantFrom(...vocabulary, '"naive x"', 'lo', 'eng'), { minLength: 1, maxLength: 3 });

    it('finds exactly the posts in which a scan finds all the words', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(post, { maxLength: 12 }), query, async (fields, words) => {
          const posts = fields.map((own) => postDocument(own));
          await index.fill(posts);
          const terms = termsOf(words.join(' '));
          const answer = await index.reader.query({ terms, kinds: ['posts'], sort: 'latest' });
          const scanned = posts.filter((_post, at) => {
            const { title, tags, body } = fields[at]!;
            const texts = [wordsOf(title), tags.flatMap(wordsOf), wordsOf(body)];
            return terms.every((term) => texts.some((own) => hasTerm(own, term)));
          });
          const expected = scanned
            .map(({ id }) => id)
            .sort()
            .reverse();
          const isExact = answer.corrected === null && answer.matches === 'all';
          expect(
            isExact
              ? answer.posts
                  .map(({ id }) => id)
                  .sort()
                  .reverse()
              : [],
          ).toEqual(expected);
        }),
        { numRuns: 60 },
      );
    });
  });

function hasTerm(text: string[], { words, isPrefix }: { words: string[]; isPrefix: boolean }): boolean {
  return text.some((_, from) =>
    words.every((word, at) => {
      const other = text[from + at];
      const isLast = at === words.length - 1;
      return other === word || (isPrefix && isLast && other?.startsWith(word));
    }),
  );
}
