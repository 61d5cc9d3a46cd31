import type { Random } from '../sampling/random.js';

/**
 * A sentence with `{slots}` for words and `[one|of|these]` choices, which may have slots. The words come from a Vocabulary.
 */
export type Pattern = readonly (string | { slot: string } | { choices: readonly Pattern[] })[];

/** Words that fill the slots. */
export interface Vocabulary {
  fill(random: Random, slot: string): string;
}

export function parsePattern(text: string): Pattern {
  return text
    .split(/(\[[^[\]]*\]|\{[^{}]*\})/)
    .filter((part) => part !== '')
    .map((part) => {
      if (part.startsWith('{')) return { slot: part.slice(1, -1) };
      return part.startsWith('[') ? { choices: part.slice(1, -1).split('|').map(parsePattern) } : part;
    });
}

/** Parses one pattern a line. */
export const parsePatterns = (lines: string): Pattern[] => lines.trim().split('\n').map(parsePattern);

/**
 * Fills a pattern as the beginning of a line.
 * @param mark Markdown around the first thing that is not at the beginning, for example `*x*`
 */
export function fillPattern(pattern: Pattern, vocabulary: Vocabulary, random: Random, mark = ''): string {
  return upperFirst(fill(pattern, vocabulary, random, mark));
}

function fill(pattern: Pattern, vocabulary: Vocabulary, random: Random, mark: string): string {
  let text = '';
  let left = mark;
  for (const part of pattern) {
    if (typeof part === 'string') text += part;
    else if ('choices' in part) text += fill(random.pick(part.choices), vocabulary, random, '');
    else {
      let word = vocabulary.fill(random, part.slot);
      // "Bees and bees" reads like a mistake.
      if (text.includes(word)) word = vocabulary.fill(random, part.slot);
      const isMarked = left !== '' && text !== '' && part.slot.startsWith('thing');
      text += isMarked ? left.replace('x', () => word) : word;
      if (isMarked) left = '';
    }
  }
  return text;
}

export const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
