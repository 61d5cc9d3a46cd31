import type { PostType } from '../../src/posts/post-types.js';
import { AliasTable } from '../sampling/alias-table.js';
import type { Random } from '../sampling/random.js';
import { TAG_HEADS, TAG_TAILS, TOPICS } from '../words/english.js';
import { fillPattern, parsePattern } from '../words/vocabulary.js';
import type { SentencePools, Subject } from './sentence-pool.js';

const TITLES: Readonly<Record<PostType, readonly string[]>> = {
  'research-paper': ['%T: %A evidence from %Q', 'a %N-based approach to %T', 'on the %N of %T: a %D-year study'],
  article: ['what %Q taught me about %T', '%D things we get wrong about %T', 'the %A future of %T'],
  poem: ['%A %T', 'lines for a %A %N, after %T'],
  story: ['the %A %N', 'a story of %T in %D letters'],
  book: ['%T, chapter %D', 'a %A handbook of %T'],
  written: ['notes on %T, no. %D', '%T? A %A %N'],
};

export interface Headline {
  title: string;
  tags: string[];
}

/** Writes titles and tags. Very many posts have a handful of tags, and a few posts have a thousand others. */
export class HeadlineWriter {
  private readonly vocabulary = [
    ...TOPICS.map((topic) => topic.tag),
    ...TAG_TAILS,
    ...TAG_HEADS.flatMap((head) => TAG_TAILS.map((tail) => `${head}-${tail}`)),
  ];
  private readonly byUse = new AliasTable(this.vocabulary.map((_, rank) => 1 / Math.pow(rank + 3, 0.95)));

  constructor(private readonly pools: SentencePools) {}

  write(random: Random, type: PostType, subject: Subject): Headline {
    const { grammar, vocabulary } = this.pools.of(subject);
    const pattern = random.pick(subject.language === 'en' ? TITLES[type] : grammar.titles);
    const title = fillPattern(parsePattern(pattern), vocabulary, random);
    const tags = new Set<string>(random.chance(0.7) ? [TOPICS[subject.topic]!.tag] : []);
    for (let i = random.int(6); i > 0 && tags.size < 5; i--) tags.add(this.vocabulary[this.byUse.sample(random)]!);
    return { title, tags: [...tags] };
  }
}
