import type { PostType } from '../../src/posts/post-types.js';
import { AliasTable } from '../sampling/alias-table.js';
import type { Random } from '../sampling/random.js';
import { ADJECTIVES, NOUNS, PLURALS, TAG_HEADS, TAG_TAILS, TOPICS } from '../words/english.js';
import { PHRASEBOOKS } from '../words/other-languages.js';

const upperFirst = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const TITLES: Readonly<Record<PostType, readonly ((topic: string, random: Random) => string)[]>> = {
  'research-paper': [
    (topic, random) => `${upperFirst(topic)}: ${random.pick(ADJECTIVES)} evidence from ${random.pick(PLURALS)}`,
    (topic, random) => `A ${random.pick(NOUNS)}-based approach to ${topic}`,
    (topic, random) => `On the ${random.pick(NOUNS)} of ${topic}: a ${random.between(2, 20)}-year study`,
  ],
  article: [
    (topic, random) => `What ${random.pick(PLURALS)} taught me about ${topic}`,
    (topic, random) => `${random.between(3, 12)} things we get wrong about ${topic}`,
    (topic, random) => `The ${random.pick(ADJECTIVES)} future of ${topic}`,
  ],
  poem: [
    (topic, random) => `${upperFirst(random.pick(ADJECTIVES))} ${topic}`,
    (topic, random) => `Lines for a ${random.pick(ADJECTIVES)} ${random.pick(NOUNS)}, after ${topic}`,
  ],
  story: [
    (_, random) => `The ${random.pick(ADJECTIVES)} ${random.pick(NOUNS)}`,
    (topic, random) => `A story of ${topic} in ${random.between(3, 30)} letters`,
  ],
  book: [
    (topic, random) => `${upperFirst(topic)}, chapter ${random.between(1, 24)}`,
    (topic, random) => `A ${random.pick(ADJECTIVES)} handbook of ${topic}`,
  ],
  written: [
    (topic, random) => `Notes on ${topic}, no. ${random.between(1, 99)}`,
    (topic, random) => `${upperFirst(topic)}? A ${random.pick(ADJECTIVES)} ${random.pick(NOUNS)}`,
  ],
};

export interface Headline {
  title: string;
  tags: string[];
}

/** Titles and tags. A handful of tags are on very many posts, and a thousand are on a few. */
export class HeadlineWriter {
  private readonly vocabulary = [
    ...TOPICS.map((topic) => topic.tag),
    ...TAG_TAILS,
    ...TAG_HEADS.flatMap((head) => TAG_TAILS.map((tail) => `${head}-${tail}`)),
  ];
  private readonly byUse = new AliasTable(this.vocabulary.map((_, rank) => 1 / Math.pow(rank + 3, 0.95)));

  write(random: Random, type: PostType, language: string): Headline {
    const topic = random.pick(TOPICS);
    const phrasebook = PHRASEBOOKS[language];
    const title = phrasebook
      ? random.pick(phrasebook.titles).replace('{}', String(random.between(2, 40)))
      : random.pick(TITLES[type])(topic.name, random);
    const tags = new Set<string>(random.chance(0.7) ? [topic.tag] : []);
    for (let i = random.int(6); i > 0 && tags.size < 5; i--) tags.add(this.vocabulary[this.byUse.sample(random)]!);
    return { title, tags: [...tags] };
  }
}
