import { Random } from '../sampling/random.js';
import { ENGLISH, type Grammar, OTHER_LANGUAGES } from '../words/grammar.js';
import { fillPattern, languageStream, parsePattern, Vocabularies, type Vocabulary } from '../words/vocabulary.js';

/** Number of sentences of one topic in English, and of all topics in another language. */
const TOPIC_POOL = 1_500;
const OTHER_POOL = 2_400;
const STREAM = 101;
const TAIL_SHARE = 0.1;
const MARKED_SHARE = 0.08;
const MARKS = ['*x*', '**x**', '[x](https://example.org/notes)', '`x`'];

/** The subject of a text, and its language. */
export interface Subject {
  language: string;
  /** Index in TOPICS. */
  topic: number;
}

/** Building blocks of the texts of a subject. */
export interface Material {
  grammar: Grammar;
  vocabulary: Vocabulary;
  headings: readonly (readonly string[])[];
  sentences: readonly string[];
}

export const isWritten = (language: string): boolean => language === 'en' || OTHER_LANGUAGES[language] !== undefined;

/**
 * Finished sentences of each subject, generated on first use. A text then joins a handful of references, so that a hundred thousand
 * bodies are written in seconds.
 */
export class SentencePools {
  private readonly vocabularies: Vocabularies;
  private readonly english: Material[] = [];
  private readonly others = new Map<string, Material>();

  constructor(private readonly seed: number) {
    this.vocabularies = new Vocabularies(seed);
  }

  of({ language, topic }: Subject): Material {
    if (language === 'en')
      return (this.english[topic] ??= this.make(ENGLISH, this.vocabularies.english(topic), topic, TOPIC_POOL));
    let material = this.others.get(language);
    if (material === undefined) {
      const vocabulary = this.vocabularies.other(language);
      material = this.make(OTHER_LANGUAGES[language]!, vocabulary, languageStream(language), OTHER_POOL);
      this.others.set(language, material);
    }
    return material;
  }

  private make(grammar: Grammar, vocabulary: Vocabulary, index: number, size: number): Material {
    const random = new Random(this.seed, STREAM, index);
    const patterns = grammar.sentences.map(parsePattern);
    const tails = grammar.tails.map(parsePattern);
    const sentences = Array.from({ length: size }, () => {
      const mark = random.chance(MARKED_SHARE) ? random.pick(MARKS) : '';
      const sentence = fillPattern(random.pick(patterns), vocabulary, random, mark);
      if (tails.length === 0 || !random.chance(TAIL_SHARE)) return flat(sentence);
      const tail = fillPattern(random.pick(tails), vocabulary, random);
      return flat(`${sentence.slice(0, -1)},${tail}${sentence.at(-1)!}`);
    });
    return { grammar, vocabulary, headings: grammar.headings.map(parsePattern), sentences };
  }
}

/** Flattens joined text, which V8 stores as parts until a read. Otherwise every text with the sentence would join the parts again. */
const flat = (text: string): string => Buffer.from(text).toString();
