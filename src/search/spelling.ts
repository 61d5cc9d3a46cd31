/** All words made by deleting one letter. Two words one typo apart share such a word, or one is a deletion of the other. */
export function restsOf(word: string): string[] {
  const letters = [...word];
  return [
    ...new Set(
      letters.map((_, at) =>
        letters
          .slice(0, at)
          .concat(letters.slice(at + 1))
          .join(''),
      ),
    ),
  ];
}

/** One letter added, missing or replaced, or two neighbors swapped. */
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
