import type { Term } from '../../common/words.js';
import type { Database } from './database.js';
import { FILTER } from '../document-text.js';

/** A smaller index needs no counts, because every query takes milliseconds. */
const SMALL_INDEX = 20_000;
/** Words in a larger share of all posts are too common to be useful. */
const COMMON_SHARE = 1 / 3;
/** A word in a larger share of posts matches only itself, not as a prefix. */
const FINISHED_SHARE = 1 / 20;
/** A shorter prefix matches too many words. A Korean syllable has two or three letters. */
const SHORT_PREFIX = 4;
/** Counting reads all occurrences of a word, and the result rarely changes. */
const CACHE_TTL_MS = 600_000;
const MAX_CACHED = 20_000;
/** A word in more posts than this share of all, or than `max`, describes none of them; one in at most `min` always does. */
const DESCRIPTIVE = { share: 1 / 10, min: 5, max: 5_000 };
const MAX_DESCRIPTIVE = 12;

/** Returns the FTS5 query. Words contain only letters, marks and digits, so quoted words are never syntax. */
function termExpression({ words, isPrefix }: Term): string {
  const phrase = `"${words.join(' ')}"`;
  // The whole word weighs more than its other completions.
  return isPrefix ? `(${phrase} OR ${phrase} *)` : phrase;
}

/** Returns the FTS5 query for rows with all or any of these words. */
export function wordExpression(terms: readonly Term[], operator: 'AND' | 'OR' = 'AND'): string {
  return `(${terms.map(termExpression).join(` ${operator} `)})`;
}

export type Filters = { type?: string; tag?: string; authorId?: string };

/** @param operator between the words */
export function postExpression(
  terms: readonly Term[],
  { type, tag, authorId }: Filters,
  operator: 'AND' | 'OR' = 'AND',
): string {
  const words = wordExpression(terms, operator);
  const filters = [
    ...(type === undefined ? [] : [FILTER.type(type)]),
    ...(tag === undefined ? [] : [FILTER.tag(tag)]),
    ...(authorId === undefined ? [] : [FILTER.author(authorId)]),
  ];
  return [words, ...filters.map((filter) => `"${filter}"`)].join(' AND ');
}

/** Returns the FTS5 query for posts with any of these words or tags, or null if there are none. */
export function similarExpression(words: readonly string[], tags: readonly string[]): string | null {
  const any = [...words, ...tags.map(FILTER.tag)];
  return any.length === 0 ? null : any.map((word) => `"${word}"`).join(' OR ');
}

/** @param columns to search in; '' for all */
export function userExpression(terms: readonly Term[], columns = ''): string {
  const words = wordExpression(terms);
  return columns === '' ? words : `{${columns}} : ${words}`;
}

/** Counts the posts that contain a word. */
export class WordCounts {
  private readonly cache = new Map<string, { posts: number; at: number }>();

  constructor(private readonly database: Database) {}

  /**
   * Removes words of more than a third of all posts from a query that has other words. A query of only such words searches titles and tags.
   * The work of a query grows with the number of posts that contain its words or prefixes.
   */
  withoutCommon(terms: Term[]): { kept: Term[]; isTitlesOnly: boolean } {
    const total = this.cached('', () => this.countAll());
    if (total < SMALL_INDEX) return { kept: terms, isTitlesOnly: false };
    const shareOf = ({ words: [word = '', ...others] }: Term): number =>
      others.length > 0 ? 0 : this.cached(word, () => this.count(word)) / total;
    const kept = terms
      .filter((term) => shareOf(term) <= COMMON_SHARE)
      .map((term) => ({ ...term, isPrefix: term.isPrefix && shareOf(term) <= FINISHED_SHARE }));
    if (kept.length === 0) return { kept: terms, isTitlesOnly: true };
    const isBarelyBegun = kept.every(
      ({ words, isPrefix }) => isPrefix && words.join(' ').normalize('NFD').length < SHORT_PREFIX,
    );
    return { kept, isTitlesOnly: isBarelyBegun };
  }

  /**
   * Returns the words that describe a post best: frequent in it, and rare in others.
   * @param counts of the words in the post
   */
  descriptive(counts: Record<string, number>): string[] {
    const total = this.cached('', () => this.countAll());
    const { share, min, max } = DESCRIPTIVE;
    const most = Math.min(max, Math.max(min, share * total));
    return Object.entries(counts)
      .map(([word, count]) => ({ word, count, posts: this.cached(`≤${word}`, () => this.countUpTo(word, max)) }))
      .filter(({ posts }) => posts > 1 && posts <= most)
      .map(({ word, count, posts }) => ({ word, weight: Math.log1p(count) * Math.log1p(total / posts) }))
      .sort((a, b) => b.weight - a.weight)
      .slice(0, MAX_DESCRIPTIVE)
      .map(({ word }) => word);
  }

  private cached(word: string, count: () => number): number {
    const now = performance.now();
    const known = this.cache.get(word);
    if (known !== undefined && now - known.at < CACHE_TTL_MS) return known.posts;
    if (this.cache.size >= MAX_CACHED) this.cache.clear();
    const posts = count();
    this.cache.set(word, { posts, at: now });
    return posts;
  }

  private count(word: string): number {
    return this.database.get<{ doc: number }>('SELECT doc FROM posts_vocabulary WHERE term = ?', word)?.doc ?? 0;
  }

  /** Counts a common word in less time than `count`. */
  private countUpTo(word: string, max: number): number {
    const sql = 'SELECT count(*) AS n FROM (SELECT 1 FROM posts_text WHERE posts_text MATCH ? LIMIT ?)';
    return this.database.get<{ n: number }>(sql, `"${word}"`, BigInt(max + 1))!.n;
  }

  private countAll(): number {
    return this.database.get<{ n: number }>('SELECT count(*) AS n FROM posts')!.n;
  }
}
