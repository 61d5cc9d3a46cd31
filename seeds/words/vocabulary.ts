import { AliasTable } from '../sampling/alias-table.js';
import { Random } from '../sampling/random.js';
import { ADJECTIVES, NOUNS, PAST_VERBS, PLURALS, TOPICS } from './english.js';
import { LOCALE_BY_LANGUAGE } from './names.js';
import { type Kind, KINDS } from './sounds.js';
import { mistype, upperFirst, WordMaker } from './word-maker.js';

export type Slot = Kind | 'M' | 'D' | 'T' | 'Q';

/** Number of words of each kind for texts of every topic, and for those of one topic. */
const GENERAL_SIZE = 1_000;
const TOPIC_SIZE = 320;
/** A language with few writers has one vocabulary for all topics. */
const OTHER_SIZE = 1_500;
const NAMES = 24;
/** Share of a text's words that belong to its topic. */
const TOPIC_SHARE = 0.7;
const TYPO_SHARE = 0.012;
const STREAMS = { general: 400, topic: 401, language: 402 };

/**
 * Draws word r in proportion to 1 / (r + flatness). Over fifty topics the sum is Zipf's law. Only texts of a topic have its most common
 * words, and the general distribution begins so flat that no word is in most texts.
 */
const zipf = (size: number, flatness: number) =>
  new AliasTable(Array.from({ length: size }, (_, rank) => 1 / (rank + 1 + flatness)));
const byGeneralUse = zipf(GENERAL_SIZE, 30);
const byTopicUse = zipf(TOPIC_SIZE, 2);
const byOtherUse = zipf(OTHER_SIZE, 4);

type Words = Readonly<Record<Kind, readonly string[]>>;

/** Words of one language and, in English, of one topic. */
export class Vocabulary {
  constructor(
    private readonly own: { words: Words; byUse: AliasTable },
    private readonly general: { words: Words; byUse: AliasTable },
    private readonly names: readonly string[],
    private readonly topic: string,
  ) {}

  fill(random: Random, slot: Slot): string {
    switch (slot) {
      case 'T':
        return this.topic;
      case 'D':
        return String(random.between(2, 99));
      case 'M':
        return random.pick(this.names);
      case 'Q':
        return random.chance(0.8) ? random.pick(PLURALS) : `${this.fill(random, 'A')} ${this.fill(random, 'P')}`;
      case 'N':
      case 'P':
      case 'A':
      case 'V': {
        const { words, byUse } = random.chance(TOPIC_SHARE) ? this.own : this.general;
        const word = words[slot][byUse.sample(random)]!;
        return random.chance(TYPO_SHARE) ? mistype(random, word) : word;
      }
    }
  }
}

/** Vocabularies of a dataset. */
export class Vocabularies {
  private general: Words | undefined;

  constructor(private readonly seed: number) {}

  /** @param topic index in TOPICS */
  english(topic: number): Vocabulary {
    const maker = new WordMaker('en');
    const given: Words = { N: NOUNS, P: NOUNS.map((noun) => `${noun}s`), A: ADJECTIVES, V: PAST_VERBS };
    this.general ??= make(maker, new Random(this.seed, STREAMS.general), GENERAL_SIZE, given);
    const random = new Random(this.seed, STREAMS.topic, topic);
    const own = { words: make(maker, random, TOPIC_SIZE), byUse: byTopicUse };
    const general = { words: this.general, byUse: byGeneralUse };
    return new Vocabulary(own, general, namesOf(maker, random, 'en'), TOPICS[topic]!.name);
  }

  other(language: string): Vocabulary {
    const maker = new WordMaker(language);
    const random = new Random(this.seed, STREAMS.language, languageStream(language));
    const all = { words: make(maker, random, OTHER_SIZE), byUse: byOtherUse };
    return new Vocabulary(all, all, namesOf(maker, random, language), '');
  }
}

/** Index of the language's random sequence. */
export const languageStream = (language: string) => 1_000 + language.charCodeAt(0) * 128 + language.charCodeAt(1);

function make(maker: WordMaker, random: Random, size: number, given?: Words): Words {
  const entries = KINDS.map((kind) => [kind, maker.words(random, kind, size, given?.[kind])] as const);
  return Object.fromEntries(entries) as Record<Kind, string[]>;
}

/** Users have half of these names, too. */
function namesOf(maker: WordMaker, random: Random, language: string): string[] {
  const { family } = LOCALE_BY_LANGUAGE.get(language)!;
  return Array.from({ length: NAMES }, (_, i) => (i % 2 === 0 ? random.pick(family).native : maker.name(random)));
}

/** Fills the slots of a grammar's pattern, as the beginning of a line. */
export function fillPattern(pattern: readonly string[], vocabulary: Vocabulary, random: Random, mark = ''): string {
  let text = pattern[0]!;
  let left = mark;
  for (let i = 1; i < pattern.length; i += 2) {
    const slot = pattern[i] as Slot;
    let word = vocabulary.fill(random, slot);
    if (left !== '' && slot === 'N') {
      word = left.replace('x', () => word);
      left = '';
    }
    text += word + pattern[i + 1]!;
  }
  return upperFirst(text);
}

/** Alternates plain text and slots, with plain text first and last. */
export const parsePattern = (pattern: string): readonly string[] => pattern.split(/%([NPAVMDTQ])/);
