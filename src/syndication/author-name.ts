/** The name of an author in a citation: the parts of a personal name, or one that may not be split. */
export type AuthorName = { family: string; given: string; suffix?: string } | { literal: string };

const WORD = String.raw`\p{L}[\p{L}\p{M}.’']*`;
const PERSONAL = new RegExp(`^${WORD}(?:-${WORD})*(?: ${WORD}(?:-${WORD})*)+$`, 'u');
const SUFFIX = /^(?:Jr\.?|Sr\.?|II|III|IV)$/;
const FAMILY_FIRST = /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}]/u;
/** Words of a name of several people. */
const AND = new Set(['and', 'und', 'et']);

/** @param name on one line, with single spaces */
export function authorName(name: string): AuthorName {
  const words = name.split(' ');
  if (!PERSONAL.test(name) || words.some((word) => AND.has(word.toLowerCase()))) return { literal: name };
  const suffix = words.length > 2 && SUFFIX.test(words.at(-1)!) ? { suffix: words.pop()! } : {};
  if (FAMILY_FIRST.test(name)) return { family: words[0]!, given: words.slice(1).join(' '), ...suffix };
  // Particles as "van" and "de la" are in lower case before the family name.
  const particle = isLowerCase(words.at(-1)!) ? -1 : words.findIndex((word, at) => at > 0 && isLowerCase(word));
  const at = particle === -1 ? words.length - 1 : particle;
  return { family: words.slice(at).join(' '), given: words.slice(0, at).join(' '), ...suffix };
}

function isLowerCase(word: string): boolean {
  return word === word.toLowerCase() && word !== word.toUpperCase();
}
