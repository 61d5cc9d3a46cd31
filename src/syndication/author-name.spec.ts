import fc from 'fast-check';
import { authorName } from './author-name.js';

describe('the name of an author', () => {
  it.each([
    ['Ada Lovelace', 'Ada', 'Lovelace', undefined],
    ['Augusta Ada King-Noel', 'Augusta Ada', 'King-Noel', undefined],
    ['Ludwig van Beethoven', 'Ludwig', 'van Beethoven', undefined],
    ['Charles de la Vallée Poussin', 'Charles', 'de la Vallée Poussin', undefined],
    ['Martin Luther King Jr.', 'Martin Luther', 'King', 'Jr.'],
    ['bell hooks', 'bell', 'hooks', undefined],
    ['Malcolm X', 'Malcolm', 'X', undefined],
    ['J. R. R. Tolkien', 'J. R. R.', 'Tolkien', undefined],
    ['Иван Бунин', 'Иван', 'Бунин', undefined],
    ['김 철수', '철수', '김', undefined],
  ])('%s has parts', (name, given, family, suffix) => {
    expect(authorName(name)).toEqual({ given, family, ...(suffix === undefined ? {} : { suffix }) });
  });

  it.each(['Plato', 'ada_lovelace', '紫式部', 'Acme, Inc.', 'Salt and Pepper', 'Ada 😀', 'R2 D2', 'Ada = Bob'])(
    '%s stays whole',
    (name) => {
      expect(authorName(name)).toEqual({ literal: name });
    },
  );

  it('keeps each word', () => {
    const word = fc.constantFrom('Ada', 'van', 'Jr.', '漢', 'de', 'III', "O'Brien", 'and', 'A,', 'Byron-King', '1');
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), (words) => {
        const parts = Object.values(authorName(words.join(' '))).flatMap((part) => part.split(' '));
        expect(parts.toSorted()).toEqual(words.toSorted());
      }),
    );
  });
});
