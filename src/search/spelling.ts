import { isSpellable, type Term } from '../common/words.js';

/** Returns the words for the dictionary. Excludes single characters, because a character of a script without spaces completes nothing. */
export function entriesOf(words: readonly string[]): string[] {
  return [...new Set(words)].filter((word) => word.length > 1);
}

/** Returns the indexes of terms that may have a typo. */
export function spellableOf(terms: readonly Term[]): number[] {
  return terms.flatMap(({ words }, at) => (words.length === 1 && isSpellable(words[0]!) ? [at] : []));
}

/**
 * Returns corrected queries, the most likely first: unknown words are replaced first, then one known word.
 * @param places indexes of `spellableOf`
 * @param unknown those whose word is in no document
 * @param neighbors of each place: words one typo apart, most frequent first
 */
export function triesOf(
  terms: readonly Term[],
  places: readonly number[],
  unknown: readonly number[],
  neighbors: ReadonlyMap<number, string[]>,
): Term[][] {
  const best = terms.map((term, at) => {
    const [nearest] = unknown.includes(at) ? neighbors.get(at)! : [];
    return nearest === undefined ? term : termOf(nearest);
  });
  const single = [...unknown, ...places.filter((place) => !unknown.includes(place))].flatMap((at) =>
    neighbors.get(at)!.map((word) => best.with(at, termOf(word))),
  );
  return best.some((term, at) => term !== terms[at]) ? [best, ...single] : single;
}

function termOf(word: string): Term {
  return { words: [word], isPrefix: false };
}

/** Whether one letter is added, missing or replaced, or two neighbors are swapped. */
export function isOneTypoApart(one: string, other: string): boolean {
  if (one === other) return false;
  const [a, b] = [[...one], [...other]];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [inOne, inOther] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  if (inOne.length <= 1 && inOther.length <= 1) return true;
  const isPair = inOne.length === 2 && inOther.length === 2;
  return isPair && inOne[0] === inOther[1] && inOne[1] === inOther[0];
}
