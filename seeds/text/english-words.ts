import type { Random } from '../sampling/random.js';
import type { Vocabulary } from './pattern.js';
import { GIVEN_NAMES, SURNAMES, TOWNS } from '../words/long-tail.js';
import { LOCALE_BY_LANGUAGE } from '../words/names.js';
import { PLACES } from '../words/profiles.js';
import type { Topic } from '../words/topics/topic.js';
import { TOPICS } from '../words/topics/topics.js';
import {
  ADJECTIVES,
  DAYS,
  FIELD_HEADS,
  FIELD_TAILS,
  GIVEN,
  MONTHS,
  NOUNS,
  NUMBERS,
  SEASONS,
  VERBS,
} from '../words/english/general.js';

/** Share of surnames that accounts have, too. */
const KNOWN_SURNAMES = 0.1;
const EASTERN_NAMES = 0.3;
const LATEST_YEAR = 2024;
const EARLIEST_YEAR = 1700;

const compounds = (patterns: typeof SURNAMES): string[] =>
  patterns.flatMap(([beginnings, endings]) => beginnings.flatMap((beginning) => endings.map((end) => beginning + end)));
const EASTERN = compounds(GIVEN_NAMES);
const RARE_SURNAMES = compounds(SURNAMES);
const TOWN_NAMES = compounds(TOWNS);
/** Prime numbers, which mix the countries. */
const NAME_STEP = 7_919;
const NAME_OFFSET = 104_729;

/** Words of one topic in English. */
export class EnglishWords implements Vocabulary {
  private readonly topic: Topic;

  /** @param index index in TOPICS */
  constructor(private readonly index: number) {
    this.topic = TOPICS[index]!;
  }

  fill(random: Random, slot: string): string {
    const { topic } = this;
    switch (slot) {
      case 'T':
        return topic.name;
      case 'T2':
        return random.pick(TOPICS).name;
      case 'thing':
        return singular(common(random, topic.things));
      case 'a thing':
        return withArticle(singular(common(random, topic.things)));
      case 'things':
        return plural(common(random, topic.things));
      case 'person':
        return common(random, topic.people);
      case 'a person':
        return withArticle(common(random, topic.people));
      case 'people':
        return plural(common(random, topic.people));
      case 'tool':
        return common(random, topic.tools);
      case 'a tool':
        return withArticle(common(random, topic.tools));
      case 'place':
        return common(random, topic.places);
      case 'measure':
        return common(random, topic.measures);
      case 'act':
        return common(random, topic.acts);
      case 'trouble':
        return common(random, topic.troubles);
      case 'fact':
        return random.pick(topic.facts);
      case 'name':
        return this.surname(random);
      case 'full':
        return `${this.given(random)} ${this.surname(random)}`;
      case 'town':
        return this.nameOf(random, TOWN_NAMES);
      case 'home':
        return random.pick(PLACES);
      case 'adj':
        return random.pick(ADJECTIVES);
      case 'an adj':
        return withArticle(random.pick(ADJECTIVES));
      case 'did':
        return random.pick(VERBS);
      case 'noun':
        return random.pick(NOUNS);
      case 'a noun':
        return withArticle(random.pick(NOUNS));
      case 'field':
        return random.pick(FIELD_HEADS) + random.pick(FIELD_TAILS);
      case 'few':
        return random.pick(NUMBERS);
      case 'n':
        return String(random.between(2, 99));
      case 'digit':
        return String(random.between(1, 9));
      case 'year':
        return String(LATEST_YEAR - Math.floor((LATEST_YEAR - EARLIEST_YEAR) * random.float() ** 3));
      case 'recent':
        return String(random.between(1988, LATEST_YEAR));
      case 'month':
        return random.pick(MONTHS);
      case 'day':
        return random.pick(DAYS);
      case 'season':
        return random.pick(SEASONS);
      default:
        throw new Error(`No words for the slot ${slot}.`);
    }
  }

  private given(random: Random): string {
    return random.chance(EASTERN_NAMES) ? this.nameOf(random, EASTERN) : random.pick(GIVEN);
  }

  private surname(random: Random): string {
    if (random.chance(KNOWN_SURNAMES)) return random.pick(LOCALE_BY_LANGUAGE.get('en')!.family).native;
    return this.nameOf(random, RARE_SURNAMES);
  }

  /** Topics differ in their most common names. */
  private nameOf(random: Random, names: readonly string[]): string {
    return names[
      (Math.floor(names.length * random.float() ** 1.3) * NAME_STEP + this.index * NAME_OFFSET) % names.length
    ]!;
  }
}

/** Returns an index below `size`, small ones more often. */
const skewed = (random: Random, size: number): number => Math.floor(size * random.float() ** 2);

const common = (random: Random, items: readonly string[]): string => items[skewed(random, items.length)]!;

const singular = (noun: string): string => noun.split('/', 1)[0]!;

function plural(noun: string): string {
  const irregular = noun.indexOf('/');
  if (irregular >= 0) return noun.slice(irregular + 1);
  // "pinch of salt": the first noun has the plural.
  const [, head, rest] = /^(.*?)((?: of .*)?)$/.exec(noun)!;
  if (/(?:s|x|z|ch|sh)$/.test(head!)) return `${head}es${rest}`;
  return (/[^aeiou]y$/.test(head!) ? `${head!.slice(0, -1)}ies` : `${head}s`) + rest!;
}

const withArticle = (noun: string): string =>
  `${/^(?:(?!one)[aeio]|u(?!se|ni[^nm])|hone(?!y)|hour)/i.test(noun) ? 'an' : 'a'} ${noun}`;
