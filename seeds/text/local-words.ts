import type { Random } from '../sampling/random.js';
import type { Vocabulary } from './pattern.js';
import { LOCALE_BY_LANGUAGE } from '../words/names.js';
import type { LocalTopic } from '../words/languages/language.js';
import { OTHER_LANGUAGES } from '../words/languages/languages.js';

/** Words of one topic in a language other than English. */
export class LocalWords implements Vocabulary {
  constructor(
    private readonly language: string,
    private readonly topic: LocalTopic,
  ) {}

  fill(random: Random, slot: string): string {
    const { topic } = this;
    switch (slot) {
      case 'T':
        return topic.name;
      case 'about':
        return topic.about;
      case 'things':
        return random.pick(topic.things);
      case 'place':
        return random.pick(topic.places);
      case 'fact':
        return random.pick(topic.facts);
      case 'town':
        return random.pick(OTHER_LANGUAGES[this.language]!.towns);
      case 'name':
        return this.name(random);
      case 'n':
        return String(random.between(2, 99));
      case 'year':
        return String(random.between(1880, 2024));
      default:
        throw new Error(`No words for the slot ${slot}.`);
    }
  }

  private name(random: Random): string {
    const { given, family, isFamilyFirst, separator } = LOCALE_BY_LANGUAGE.get(this.language)!;
    const [first, last] = [random.pick(given).native, random.pick(family).native];
    return isFamilyFirst ? last + separator + first : first + separator + last;
  }
}
