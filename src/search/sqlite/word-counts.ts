import type { Term } from '../words.js';
import type { Database } from './database.js';

/** A smaller index answers everything in milliseconds. */
const SMALL_INDEX = 20_000;
/** Words of a larger share of all posts say nothing. */
const COMMON_SHARE = 1 / 3;
/** Fewer letters begin too many words. */
const SHORT_PREFIX = 4;
/** columns of what a post is called */
export const TITLES = 'title tags';
/** Counting reads all places of a word; it hardly changes. */
const KEEP_MS = 600_000;
const MAX_KEPT = 20_000;

/** How many posts have a word. */
export class WordCounts {
  private readonly kept = new Map<string, { posts: number; at: number }>();

  constructor(private readonly database: Database) {}

  /**
   * Words of a third of all posts are left out of a query that has others; a query of such words alone looks into titles and tags. The
   * work of a query grows with the posts that have its words: 60,000 of 100,000 take 44 ms, in titles alone 4 to 10.
   */
  withoutCommon(terms: Term[]): { kept: Term[]; columns: string } {
    const total = this.keep('', () => this.countAll());
    if (total < SMALL_INDEX) return { kept: terms, columns: '' };
    const kept = terms.filter(({ words: [word = '', ...others] }) => {
      return others.length > 0 || this.keep(word, () => this.count(word)) <= total * COMMON_SHARE;
    });
    if (kept.length === 0) return { kept: terms, columns: TITLES };
    const isBarelyBegun = kept.every(({ words, isPrefix }) => isPrefix && words.join(' ').length < SHORT_PREFIX);
    return { kept, columns: isBarelyBegun ? TITLES : '' };
  }

  private keep(word: string, count: () => number): number {
    const now = performance.now();
    const known = this.kept.get(word);
    if (known !== undefined && now - known.at < KEEP_MS) return known.posts;
    if (this.kept.size >= MAX_KEPT) this.kept.clear();
    const posts = count();
    this.kept.set(word, { posts, at: now });
    return posts;
  }

  private count(word: string): number {
    return this.database.get<{ doc: number }>('SELECT doc FROM posts_vocabulary WHERE term = ?', word)?.doc ?? 0;
  }

  private countAll(): number {
    return this.database.get<{ n: number }>('SELECT count(*) AS n FROM posts')!.n;
  }
}
