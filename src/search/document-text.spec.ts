import fc from 'fast-check';
import { postDocument } from '../../test/support/search/test-index.js';
import { wordsOf } from '../common/words.js';
import { postText } from './document-text.js';

describe('postText', () => {
  it('has a word at most 100 times, and every other word in its place', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'loom'), { maxLength: 400 }), (words) => {
        const text = words.join(' ');
        const { body } = postText(postDocument({ body: `${text} .` }));
        const counts = new Map<string, number>();
        const expected = wordsOf(text).map((word) => {
          counts.set(word, (counts.get(word) ?? 0) + 1);
          return counts.get(word)! > 100 ? '§' : word;
        });
        expect(body).toEqual(expected);
      }),
    );
  });

  it('has a word of a hostile text and of its headings at most 100 times', () => {
    const { body, headings } = postText(postDocument({ body: '# a a\n'.repeat(2_000) }));
    for (const words of [body, headings]) expect(words.filter((word) => word === 'a')).toHaveLength(100);
  });
});
