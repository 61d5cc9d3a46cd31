import { ENV_NAMES } from './env.schema.js';

const MAX_DISTANCE = 2;

/** Returns a sentence for each variable whose name is almost that of a setting. Other names belong to other programs. */
export function misspelledVariables(environment: Record<string, string | undefined> = process.env): string[] {
  return Object.keys(environment).flatMap((name) => {
    if (ENV_NAMES.includes(name) || !/^[A-Z][A-Z0-9_]{4,63}$/.test(name)) return [];
    const isSimilar = (known: string): boolean => known[0] === name[0] && distance(name, known) <= MAX_DISTANCE;
    const similar = ENV_NAMES.filter((known) => known.length > 5).find(isSimilar);
    return similar === undefined ? [] : [`${name} is not a setting and has no effect; did you mean ${similar}?`];
  });
}

/** The Levenshtein distance: insertions, deletions and replacements of one character. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > MAX_DISTANCE) return Infinity;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + Number(a[i - 1] !== b[j - 1]);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
