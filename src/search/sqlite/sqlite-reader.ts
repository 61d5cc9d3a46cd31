import { rmSync, statSync } from 'node:fs';
import {
  type CommentCandidate,
  IndexNotReady,
  type IndexResult,
  type IndexQuery,
  MAX_CANDIDATES,
  type PostCandidate,
  type Suggestions,
  type TagCount,
  type UserCandidate,
} from '../search-index.js';
import type { Term } from '../../common/words.js';
import { POST_COUNTER_BITS } from '../document-keys.js';
import { type Database, isDamage, openExisting, POST_WEIGHTS, type PostTable, SIMILAR_WEIGHTS } from './database.js';
import { SpellChecker } from './dictionary.js';
import {
  type Filters,
  postExpression,
  similarExpression,
  userExpression,
  wordExpression,
  WordCounts,
} from './expressions.js';

/** number of latest matches to rank: some 2 ms of a core for any number of matches */
const MAX_WEIGHED = 2_000;
/**
 * BM25 saturates with the number of occurrences of a word in a post, so a word in the title hardly counts beside many in the text. This
 * bonus is larger than the bonuses of engagement and age.
 */
const TITLE_BOOST = 4;
const LAST_KEY = Number.MAX_SAFE_INTEGER;
/** maximum number of tags with the same prefix */
const MAX_TAGS_SEEN = 1_000;

const POST = `p.id, p.type, p.key, p.key >> ${POST_COUNTER_BITS} AS publishedAt`;
const byWeight = (table: PostTable, weights: string = POST_WEIGHTS[table]): string => `
SELECT ${POST}, found.score FROM (
  SELECT key, score FROM (
    SELECT rowid AS key, -bm25(${table}, ${weights}) AS score FROM ${table} WHERE ${table} MATCH ?
    ORDER BY rowid DESC LIMIT ${MAX_WEIGHED}
  ) ORDER BY score DESC, key DESC LIMIT ${MAX_CANDIDATES}
) AS found JOIN posts AS p ON p.key = found.key ORDER BY found.score DESC, p.key DESC`;
const byAge = (table: PostTable): string => `
SELECT ${POST}, 1.0 AS score FROM (
  SELECT rowid AS key FROM ${table} WHERE ${table} MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ${MAX_CANDIDATES}
) AS found JOIN posts AS p ON p.key = found.key ORDER BY p.key DESC`;
const BY_FOLLOWERS = `
SELECT u.id, u.key FROM (
  SELECT rowid AS key FROM users_text WHERE users_text MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?
) AS found JOIN users AS u ON u.key = found.key ORDER BY u.key DESC`;

const NEWEST_COMMENTS = `
SELECT c.id, c.key FROM (
  SELECT rowid AS key FROM comments_text WHERE comments_text MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ${MAX_CANDIDATES}
) AS found JOIN comments AS c ON c.key = found.key ORDER BY c.key DESC`;

/** Reads the index: IndexReader, but synchronous, so it runs in its own thread. */
export class SqliteReader {
  private database: Database | undefined;
  private counts: WordCounts | undefined;
  private file = 0;

  constructor(private readonly path: string) {}

  query(query: IndexQuery): IndexResult {
    return this.read((database, counts) => {
      const search = new Search(database, counts, query);
      const exact = search.find(query.terms);
      const isEnd = query.after !== undefined && search.hasAny(query.terms);
      if (!exact.isEmpty || isEnd) return { ...exact.found, corrected: null, matches: 'all' };
      const corrected = new SpellChecker(database, (...of) => search.hasAny(...of)).correct(query.terms);
      if (corrected !== null) return { ...search.find(corrected).found, corrected, matches: 'all' };
      const isPosts = query.kinds.includes('posts') && query.terms.length > 1;
      const posts = isPosts ? search.posts(query.terms, 'OR') : [];
      return { ...exact.found, posts, corrected: null, matches: posts.length > 0 ? 'any' : 'all' };
    });
  }

  suggest(terms: Term[], limit: number): Suggestions {
    return this.read((database, counts) => {
      const search = new Search(database, counts, { terms, kinds: ['users', 'tags'], sort: 'latest' });
      const last = terms.at(-1)!;
      const open = terms.with(-1, { ...last, isPrefix: true });
      const users = search.users(open, limit, 'name');
      return {
        userIds: users.slice(0, limit).map(({ id }) => id),
        tags: search.tags(open, limit),
        words: search.completions(terms, limit),
      };
    });
  }

  similar(id: string): PostCandidate[] {
    return this.read((database, counts) => {
      const post = database.get<{ tags: string; terms: string }>('SELECT tags, terms FROM posts WHERE id = ?', id);
      if (post === undefined) return [];
      const words = counts.descriptive(JSON.parse(post.terms) as Record<string, number>);
      const expression = similarExpression(words, JSON.parse(post.tags) as string[]);
      if (expression === null) return [];
      const found = database.all<PostCandidate>(byWeight('posts_text', SIMILAR_WEIGHTS), expression);
      return found.filter((other) => other.id !== id);
    });
  }

  close(): void {
    this.database?.close();
    this.database = undefined;
  }

  /** Runs `work` in one snapshot of the current file. @throws IndexNotReady */
  private read<T>(work: (database: Database, counts: WordCounts) => T): T {
    try {
      const database = this.present();
      return database.transaction('DEFERRED', () => {
        if (database.meta<boolean>('ready') !== true) throw new IndexNotReady('the index is being built');
        return work(database, this.counts!);
      });
    } catch (error) {
      if (!isDamage(error)) throw error;
      // The writer creates a new file.
      rmSync(this.path, { force: true });
      throw new IndexNotReady(`the index is damaged: ${String(error)}`);
    }
  }

  private present(): Database {
    const file = statSync(this.path, { throwIfNoEntry: false })?.ino ?? 0;
    if (this.database !== undefined && file === this.file) return this.database;
    this.close();
    const database = openExisting(this.path);
    if (database === null) throw new IndexNotReady('there is no index yet');
    database.all('PRAGMA query_only = ON');
    database.all('PRAGMA cache_size = -16384');
    this.file = file;
    this.counts = new WordCounts(database);
    return (this.database = database);
  }
}

class Search {
  private readonly filters: Filters;

  constructor(
    private readonly database: Database,
    private readonly counts: WordCounts,
    private readonly request: IndexQuery,
  ) {
    const { type, tag, authorId } = request;
    this.filters = { type, tag, authorId };
  }

  find(terms: Term[]): { found: Omit<IndexResult, 'corrected' | 'matches'>; isEmpty: boolean } {
    const { kinds } = this.request;
    const posts = kinds.includes('posts') ? this.posts(terms, 'AND') : [];
    const users = kinds.includes('users') ? this.users(terms, MAX_CANDIDATES) : [];
    const tags = kinds.includes('tags') ? this.tags(terms, MAX_CANDIDATES) : [];
    const comments = kinds.includes('comments') ? this.comments(terms) : [];
    const isEmpty = posts.length + users.length + tags.length + comments.length === 0;
    return { found: { posts, users, tags, comments }, isEmpty };
  }

  posts(terms: Term[], operator: 'AND' | 'OR'): PostCandidate[] {
    const { kept, isTitlesOnly } = this.counts.withoutCommon(terms);
    const expression = postExpression(kept, this.filters, operator);
    if (this.request.sort === 'latest') {
      const sql = byAge(isTitlesOnly ? 'posts_titles' : 'posts_text');
      return this.database.all<PostCandidate>(sql, expression, BigInt(this.request.after ?? LAST_KEY));
    }
    const titled = this.database.all<PostCandidate>(byWeight('posts_titles'), expression);
    const found = new Map(titled.map((post) => [post.id, { ...post, score: TITLE_BOOST * post.score }]));
    const isFull = isTitlesOnly || titled.length === MAX_CANDIDATES;
    const others = isFull ? [] : this.database.all<PostCandidate>(byWeight('posts_text'), expression);
    for (const post of others) if (!found.has(post.id)) found.set(post.id, post);
    return [...found.values()].sort((a, b) => b.score - a.score || b.key - a.key).slice(0, MAX_CANDIDATES);
  }

  /** Returns the account with exactly this name first, then accounts by followers. */
  users(terms: Term[], limit: number, columns = ''): UserCandidate[] {
    const { after } = this.request;
    const name = terms.flatMap(({ words }) => words).join('_');
    const same = this.database.get<UserCandidate>(
      'SELECT id, key FROM users WHERE username IN (?, ?) ORDER BY username = ? DESC LIMIT 1',
      ...[name, name.replaceAll('_', ''), name],
    );
    const bounds = [BigInt(after ?? LAST_KEY), BigInt(limit)];
    const found = this.database.all<UserCandidate>(BY_FOLLOWERS, userExpression(terms, columns), ...bounds);
    const others = found.filter(({ id }) => id !== same?.id);
    return same === undefined || after !== undefined ? others : [{ id: same.id, key: LAST_KEY }, ...others];
  }

  /** Returns the newest comments first. */
  private comments(terms: Term[]): CommentCandidate[] {
    const before = BigInt(this.request.after ?? LAST_KEY);
    return this.database.all<CommentCandidate>(NEWEST_COMMENTS, wordExpression(terms), before);
  }

  /** Returns the most used tags first. */
  tags(terms: Term[], limit: number): TagCount[] {
    const [first, ...others] = terms.flatMap(({ words, isPrefix }) =>
      words.map((word, at) => ({ word, isPrefix: isPrefix && at === words.length - 1 })),
    );
    const { word, isPrefix } = first!;
    const rows = this.database.all<TagCount>(
      `SELECT DISTINCT t.tag, t.n AS postsCount FROM tag_words AS w JOIN tags AS t ON t.tag = w.tag
       WHERE w.word >= ? AND w.word ${isPrefix ? '<' : '<='} ? ORDER BY t.n DESC, t.tag LIMIT ${MAX_TAGS_SEEN}`,
      ...[word, isPrefix ? endOf(word) : word],
    );
    const has = (tag: string): boolean =>
      others.every((other) => {
        const [from, to] = [other.word, other.isPrefix ? endOf(other.word) : other.word];
        const sign = other.isPrefix ? '<' : '<=';
        const sql = `SELECT 1 FROM tag_words WHERE tag = ? AND word >= ? AND word ${sign} ?`;
        return this.database.get(sql, tag, from, to) !== undefined;
      });
    return rows.filter(({ tag }) => has(tag)).slice(0, limit);
  }

  /** Returns the query with its last word completed. */
  completions(terms: Term[], limit: number): string[] {
    const words = terms.flatMap((term) => term.words);
    const begun = words.at(-1)!;
    const rows = this.database.all<{ word: string }>(
      `SELECT word, n FROM words WHERE word >= ? AND word < ? ORDER BY n DESC, word LIMIT ?`,
      ...[begun, endOf(begun), BigInt(limit)],
    );
    return rows.map(({ word }) => [...words.slice(0, -1), word].join(' '));
  }

  hasAny(terms: readonly Term[], posts: PostTable = 'posts_text'): boolean {
    const { kinds } = this.request;
    const isIn = (table: string, expression: string): boolean =>
      this.database.get(`SELECT 1 FROM ${table} WHERE ${table} MATCH ? LIMIT 1`, expression) !== undefined;
    return (
      (kinds.includes('posts') && isIn(posts, postExpression(terms, this.filters))) ||
      (kinds.includes('users') && isIn('users_text', userExpression(terms))) ||
      (kinds.includes('tags') && this.tags([...terms], 1).length > 0)
    );
  }
}

/** Returns the upper bound of all words with this prefix. */
function endOf(prefix: string): string {
  return `${prefix}\u{10ffff}`;
}
