import type { PostType } from '../../src/posts/post-types.js';
import { AliasTable } from '../sampling/alias-table.js';
import type { Random } from '../sampling/random.js';
import { SUBTITLES, TITLES } from '../words/english/titles.js';
import { OTHER_LANGUAGES } from '../words/languages/languages.js';
import { TAG_HEADS, TAG_TAILS, TYPE_FIELDS } from '../words/tags.js';
import { TOPICS } from '../words/topics/topics.js';
import { parsePattern, parsePatterns, type Pattern } from './pattern.js';
import type { SentencePools, Subject } from './sentence-pool.js';

const ENGLISH_TITLES = Object.fromEntries(
  Object.entries(TITLES).map(([type, lines]) => [type, parsePatterns(lines)]),
) as Record<PostType, Pattern[]>;
const ENGLISH_SUBTITLES = parsePatterns(SUBTITLES);
const OTHER_TITLES = Object.fromEntries(
  Object.entries(OTHER_LANGUAGES).map(([language, { titles }]) => [language, titles.map(parsePattern)]),
);

export interface Headline {
  title: string;
  tags: string[];
}

/** Writes titles and tags. Very many posts have a handful of tags, and a few posts have a thousand others. */
export class HeadlineWriter {
  /** Draws a related topic, a field, or one of the many halves of a field. */
  private readonly byUse = new AliasTable(
    Array.from({ length: TOPICS.length + TAG_TAILS.length * (1 + TAG_HEADS.length) }, (_, rank) =>
      Math.pow(rank + 3, -0.95),
    ),
  );

  constructor(private readonly pools: SentencePools) {}

  write(random: Random, type: PostType, subject: Subject): Headline {
    const title = this.fill(random, ENGLISH_TITLES[type], subject);
    const tags = new Set<string>(random.chance(0.7) ? [TOPICS[subject.topic]!.tag] : []);
    for (let i = random.int(6); i > 0 && tags.size < 5; i--) tags.add(this.tag(random, type, subject.topic));
    return { title, tags: [...tags] };
  }

  subtitle(random: Random, subject: Subject): string {
    return this.fill(random, ENGLISH_SUBTITLES, subject);
  }

  private fill(random: Random, english: readonly Pattern[], subject: Subject): string {
    return this.pools.of(subject).fill(random.pick(OTHER_TITLES[subject.language] ?? english), random);
  }

  private tag(random: Random, type: PostType, topic: number): string {
    const rank = this.byUse.sample(random);
    // Topics of one file of topics/ are related.
    if (rank < TOPICS.length) return TOPICS[10 * Math.floor(topic / 10) + (rank % 10)]!.tag;
    const fields = [...TOPICS[topic]!.fields, ...TYPE_FIELDS[type]];
    const field = fields[rank % fields.length]!;
    const head = Math.floor((rank - TOPICS.length) / TAG_TAILS.length);
    return head === 0 ? field : `${TAG_HEADS[head - 1]!}-${field}`;
  }
}
