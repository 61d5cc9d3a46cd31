import type { Random } from '../sampling/random.js';
import { type Kind, type Sounds, SOUNDS } from './sounds.js';

export const upperFirst = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const SHORTEST_TYPO = 5;

/** Makes words of one language out of its syllables and roots. */
export class WordMaker {
  private readonly sounds: Sounds;

  constructor(private readonly language: string) {
    this.sounds = SOUNDS[language]!;
  }

  /** Returns `count` different words, after the given words. */
  words(random: Random, kind: Kind, count: number, given: readonly string[] = []): string[] {
    const words = new Set(given);
    while (words.size < count) words.add(this.word(random, kind));
    return [...words];
  }

  /** Returns a plausible family name of the language. */
  name(random: Random): string {
    return upperFirst(this.syllables(random, random.between(2, 3)));
  }

  private word(random: Random, kind: Kind): string {
    const { sounds } = this;
    const stem = random.chance(sounds.compounds)
      ? random.pick(sounds.roots) + random.pick(sounds.joints) + random.pick(sounds.roots)
      : this.syllables(random, random.pick(sounds.syllables));
    const word = random.pick(sounds.forms[kind]).replace('~', stem);
    return this.language === 'de' && (kind === 'N' || kind === 'P') ? upperFirst(word) : word;
  }

  private syllables(random: Random, count: number): string {
    const { onsets, nuclei, codas } = this.sounds;
    let text = '';
    for (let i = 0; i < count; i++) text += random.pick(onsets) + random.pick(nuclei) + random.pick(codas);
    return text;
  }
}

/** Returns the word with one typo: two letters swapped, one missing, or one doubled. */
export function mistype(random: Random, word: string): string {
  if (word.length < SHORTEST_TYPO) return word;
  const at = random.between(1, word.length - 3);
  const [before, letter, next, after] = [word.slice(0, at), word[at]!, word[at + 1]!, word.slice(at + 2)];
  switch (random.int(3)) {
    case 0:
      return before + next + letter + after;
    case 1:
      return before + next + after;
    default:
      return before + letter + letter + next + after;
  }
}
