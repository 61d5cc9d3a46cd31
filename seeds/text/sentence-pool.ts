import { Random } from '../sampling/random.js';
import { EnglishWords } from './english-words.js';
import { PAPER } from '../words/english/paper.js';
import { PLAIN, TAILS } from '../words/english/plain.js';
import { ACCOUNT, REMARK } from '../words/english/remark.js';
import { STORY } from '../words/english/story.js';
import { HEADINGS, SECTIONS, STORY_HEADINGS } from '../words/english/titles.js';
import { VERSE } from '../words/english/verse.js';
import { LocalWords } from './local-words.js';
import { OTHER_LANGUAGES } from '../words/languages/languages.js';
import { topicOf, TOPICS } from '../words/topics/topics.js';
import { fillPattern, parsePattern, parsePatterns, type Pattern, type Vocabulary } from './pattern.js';

/** Sentences of a kind of text. */
export const REGISTERS = ['plain', 'paper', 'story', 'verse', 'remark', 'account'] as const;
export type Register = (typeof REGISTERS)[number];

/** Number of sentences of one topic in English, and in another language. */
const POOL: Readonly<Record<Register, number>> = {
  plain: 1_200,
  paper: 900,
  story: 600,
  verse: 400,
  remark: 500,
  account: 400,
};
const OTHER_POOL = 600;
const STREAM = 101;
const FACT_SHARE = 0.04;
const TAIL_SHARE = 0.35;
const MARKED_SHARE = 0.08;
const MARKS = ['*x*', '**x**', '[x](https://example.org/notes)', '`x`'];

const ENGLISH: Readonly<Record<Register, readonly Pattern[]>> = {
  plain: parsePatterns(PLAIN),
  paper: parsePatterns(PAPER),
  story: parsePatterns(STORY),
  verse: parsePatterns(VERSE),
  remark: parsePatterns(REMARK),
  account: parsePatterns(ACCOUNT),
};
const FACT = parsePattern('{fact}.');
const ENGLISH_TAILS = parsePatterns(TAILS);
const ENGLISH_HEADINGS = {
  plain: parsePatterns(HEADINGS),
  paper: parsePatterns(SECTIONS),
  story: parsePatterns(STORY_HEADINGS),
};

/** The subject of a text, and its language. */
export interface Subject {
  language: string;
  /** Index in TOPICS. */
  topic: number;
}

export const isWritten = (language: string): boolean => language === 'en' || OTHER_LANGUAGES[language] !== undefined;

/** Topics that texts of a language have. */
export function topicsIn(language: string): readonly number[] {
  return TOPICS_OF[language] ?? ALL_TOPICS;
}

const ALL_TOPICS = TOPICS.map((_, topic) => topic);
const TOPICS_OF = Object.fromEntries(
  Object.entries(OTHER_LANGUAGES).map(([language, { topics }]) => [language, topics.map(({ tag }) => topicOf(tag))]),
);

/** Building blocks of the texts of a subject: words, headings, and finished sentences. */
export class Material {
  readonly space: string;
  readonly words: Vocabulary;
  private readonly pools: Partial<Record<Register, readonly string[]>> = {};

  constructor(
    private readonly seed: number,
    readonly subject: Subject,
  ) {
    const { language, topic } = subject;
    const other = OTHER_LANGUAGES[language];
    this.space = other?.space ?? ' ';
    this.words = other
      ? new LocalWords(
          language,
          other.topics.find(({ tag }) => topicOf(tag) === topic)!,
        )
      : new EnglishWords(topic);
  }

  fill(pattern: Pattern, random: Random): string {
    return fillPattern(pattern, this.words, random);
  }

  headings(register: Register): readonly Pattern[] {
    if (this.subject.language !== 'en') return PATTERNS[this.subject.language]!.headings;
    return register === 'paper' || register === 'story' ? ENGLISH_HEADINGS[register] : ENGLISH_HEADINGS.plain;
  }

  /** Returns the sentences of a kind of text, generated on first use. The lines of a verse are apart from each other by ` / `. */
  sentences(register: Register): readonly string[] {
    return (this.pools[register] ??= this.make(register));
  }

  private make(register: Register): string[] {
    const { language, topic } = this.subject;
    const isEnglish = language === 'en';
    const patterns = isEnglish ? ENGLISH[register] : PATTERNS[language]![LOCAL_REGISTERS[register]];
    const index = (isEnglish ? 0 : languageStream(language)) + topic * REGISTERS.length + REGISTERS.indexOf(register);
    const random = new Random(this.seed, STREAM, index);
    const isMarked = register === 'plain' || register === 'paper';
    return Array.from({ length: isEnglish ? POOL[register] : OTHER_POOL }, () => {
      if (register === 'plain' && isEnglish && random.chance(FACT_SHARE)) return flat(this.fill(FACT, random));
      const mark = isMarked && random.chance(MARKED_SHARE) ? random.pick(MARKS) : '';
      const sentence = fillPattern(random.pick(patterns), this.words, random, mark);
      const hasTail = isEnglish && isMarked && sentence.endsWith('.') && random.chance(TAIL_SHARE);
      return flat(hasTail ? sentence.slice(0, -1) + this.tail(random) + '.' : sentence);
    });
  }

  private tail(random: Random): string {
    return fillPattern(random.pick(ENGLISH_TAILS), this.words, random);
  }
}

const LOCAL_REGISTERS = {
  plain: 'sentences',
  paper: 'sentences',
  story: 'sentences',
  verse: 'verses',
  remark: 'remarks',
  account: 'sentences',
} as const satisfies Record<Register, string>;

const PATTERNS = Object.fromEntries(
  Object.entries(OTHER_LANGUAGES).map(([language, { sentences, verses, remarks, headings }]) => {
    const parse = (lines: readonly string[]) => lines.map(parsePattern);
    return [
      language,
      { sentences: parse(sentences), verses: parse(verses), remarks: parse(remarks), headings: parse(headings) },
    ];
  }),
);

/** First index of the language's random sequences. */
const languageStream = (language: string) => 1_000 * (1 + Object.keys(OTHER_LANGUAGES).indexOf(language));

/** The materials of a dataset. A text joins references to finished sentences, so that a hundred thousand bodies take seconds. */
export class SentencePools {
  private readonly materials = new Map<string, Material>();

  constructor(private readonly seed: number) {}

  of(subject: Subject): Material {
    const key = `${subject.language}${subject.topic}`;
    let material = this.materials.get(key);
    if (material === undefined) this.materials.set(key, (material = new Material(this.seed, subject)));
    return material;
  }
}

/** Flattens joined text, which V8 stores as parts until a read. Otherwise every text with the sentence would join the parts again. */
const flat = (text: string): string => Buffer.from(text).toString();
