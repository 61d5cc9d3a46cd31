import { Semaphore } from '../../common/semaphore.js';
import { type Term, wordsOf } from '../../common/words.js';
import { POST_COUNTER_BITS } from '../document-keys.js';
import {
  IndexBusy,
  IndexNotReady,
  type IndexQuery,
  type IndexReader,
  type IndexResult,
  MAX_CANDIDATES,
  type PostCandidate,
  type Suggestions,
  type TagCount,
  type UserCandidate,
} from '../search-index.js';
import { type OpenSearchClient, OpenSearchError } from './client.js';
import { correct } from './corrections.js';
import type { IndexNames } from './index-names.js';
import {
  COMMENT_FIELDS,
  countValues,
  NAME_FIELDS,
  postQuery,
  type Query,
  similarQuery,
  USER_FIELDS,
  wordQuery,
} from './queries.js';
import { type Hit, type Result, type Search, Searches } from './searches.js';

const LIMITS = { running: 32, waiting: 64, waitMs: 250 };
const LAST_KEY = Number.MAX_SAFE_INTEGER;
/** maximum number of tags with the same prefix */
const MAX_TAGS_SEEN = 1_000;
/** A word in more posts than this share of all, or than `max`, describes none of them; one in at most `min` does. */
const DESCRIPTIVE = { share: 1 / 10, min: 5, max: 5_000 };

/** Queries OpenSearch. An unavailable or slow server costs a query at most a second. */
export class OpenSearchReader implements IndexReader {
  /** for all requests of a query; less than the second in which a client gets its response */
  deadlineMs = 700;
  private readonly semaphore = new Semaphore(LIMITS);

  constructor(
    private readonly client: OpenSearchClient,
    private readonly names: IndexNames,
  ) {}

  query(query: IndexQuery): Promise<IndexResult> {
    return this.run(async (searches) => {
      const { terms, kinds, after } = query;
      const exact = await this.find(searches, query, terms);
      if (!exact.isEmpty) return { ...exact.found, corrected: null, matches: 'all' };
      // The page after the last row has no correction.
      if (after !== undefined && !(await this.find(searches, { ...query, after: undefined }, terms)).isEmpty)
        return { ...exact.found, corrected: null, matches: 'all' };
      const corrected = await correct(searches, this.names, query);
      if (corrected !== null)
        return { ...(await this.find(searches, query, corrected)).found, corrected, matches: 'all' };
      if (!kinds.includes('posts') || terms.length === 1) return { ...exact.found, corrected: null, matches: 'all' };
      const [some] = await searches.send([this.postSearch(query, terms, 'OR')]);
      const posts = toPosts(some!);
      return { ...exact.found, posts, corrected: null, matches: posts.length > 0 ? 'any' : 'all' };
    });
  }

  suggest(terms: Term[], limit: number): Promise<Suggestions> {
    return this.run(async (searches) => {
      const open = terms.with(-1, { ...terms.at(-1)!, isPrefix: true });
      const words = terms.flatMap((term) => term.words);
      const completions = countValues('dictionary', words.at(-1)!, limit);
      const [same, named, tagged, completed] = await searches.send([
        this.exactUser(open),
        this.userSearch(open, NAME_FIELDS, limit),
        this.tagSearch(open),
        { index: `${this.names.alias('posts')},${this.names.alias('users')}`, body: completions },
      ]);
      const users = exactFirst(open, same, named!);
      return {
        userIds: users.slice(0, limit).map(({ id }) => id),
        tags: toTags(tagged!, open).slice(0, limit),
        words: bucketsOf(completed!).map(({ key }) => [...words.slice(0, -1), key].join(' ')),
      };
    });
  }

  similar(id: string): Promise<PostCandidate[]> {
    return this.run(async (searches) => {
      const index = this.names.alias('posts');
      const body = { size: 1, track_total_hits: false, query: { term: { id } }, _source: ['tags', 'frequent'] };
      const [own, every] = await searches.send([
        { index, body },
        { index, body: { size: 0, track_total_hits: 10 * DESCRIPTIVE.max } },
      ]);
      const post = own!.hits.hits[0]?._source as { tags: string[]; frequent: [string, number][] } | undefined;
      if (post === undefined) return [];
      const share = DESCRIPTIVE.share * (every!.hits.total?.value ?? 0);
      const max = Math.floor(Math.min(DESCRIPTIVE.max, Math.max(DESCRIPTIVE.min, share)));
      const [found] = await searches.send([
        { index, body: rowsOf(similarQuery(id, post.frequent, post.tags, max), ['id', 'type', 'key']) },
      ]);
      return toPosts(found!);
    });
  }

  /** Connections that `fetch` keeps open end with the process. */
  async close(): Promise<void> {}

  private async find(
    searches: Searches,
    query: IndexQuery,
    terms: Term[],
  ): Promise<{ found: Omit<IndexResult, 'corrected' | 'matches'>; isEmpty: boolean }> {
    const has = (kind: IndexQuery['kinds'][number]): boolean => query.kinds.includes(kind);
    const before = query.after ?? LAST_KEY;
    const comments = newest(wordQuery(terms, COMMENT_FIELDS), MAX_CANDIDATES, before);
    const [posts, same, users, tags, replies] = await searches.sendEach([
      has('posts') && this.postSearch(query, terms, 'AND'),
      has('users') && query.after === undefined && this.exactUser(terms),
      has('users') && this.userSearch(terms, USER_FIELDS, MAX_CANDIDATES, before),
      has('tags') && this.tagSearch(terms),
      has('comments') && { index: this.names.alias('comments'), body: comments },
    ]);
    const found = {
      posts: posts ? toPosts(posts) : [],
      users: users ? exactFirst(terms, same, users) : [],
      tags: tags ? toTags(tags, terms).slice(0, MAX_CANDIDATES) : [],
      comments: replies ? replies.hits.hits.map(toRow) : [],
    };
    return { found, isEmpty: Object.values(found).every(({ length }) => length === 0) };
  }

  private postSearch(query: IndexQuery, terms: Term[], operator: 'AND' | 'OR'): Search {
    const found = postQuery(terms, query, { operator });
    const isLatest = query.sort === 'latest';
    const body = isLatest
      ? newest(found, MAX_CANDIDATES, query.after ?? LAST_KEY, ['type'])
      : rowsOf(found, ['id', 'type', 'key']);
    return { index: this.names.alias('posts'), body };
  }

  private exactUser(terms: Term[]): Search {
    const query = { terms: { username: usernamesOf(terms) } };
    return { index: this.names.alias('users'), body: { ...rowsOf(query, ['id', 'key', 'username']), size: 2 } };
  }

  private userSearch(terms: Term[], fields: Record<string, number>, limit: number, before = LAST_KEY): Search {
    return { index: this.names.alias('users'), body: newest(wordQuery(terms, fields), limit, before) };
  }

  private tagSearch(terms: Term[]): Search {
    const [{ word, isPrefix }] = tagWords(terms) as [TagWord];
    return {
      index: this.names.alias('posts'),
      body: countValues('tag_entries', isPrefix ? word : `${word} `, MAX_TAGS_SEEN),
    };
  }

  /** @throws IndexBusy, IndexNotReady */
  private async run<T>(work: (searches: Searches) => Promise<T>): Promise<T> {
    const { breaker } = this.client;
    if (!breaker.admit()) throw new IndexBusy('OpenSearch has failed just before');
    if (!(await this.semaphore.acquire())) throw new IndexBusy('too many queries run');
    try {
      const result = await work(new Searches(this.client, AbortSignal.timeout(this.deadlineMs)));
      breaker.succeed();
      return result;
    } catch (error) {
      if (error instanceof OpenSearchError && error.status < 500 && error.status !== 429) {
        breaker.succeed();
        if (error.isMissingIndex) throw new IndexNotReady('there is no index yet');
        throw error;
      }
      breaker.fail();
      throw new IndexBusy(`OpenSearch does not respond: ${String(error)}`);
    } finally {
      this.semaphore.release();
    }
  }
}

/** Returns the body of a search for rows with these fields, best first. */
function rowsOf(query: Query, fields: string[]): Query {
  const sort = [{ _score: 'desc' }, { key: 'desc' }];
  return {
    query,
    size: MAX_CANDIDATES,
    sort,
    track_scores: true,
    track_total_hits: false,
    _source: false,
    docvalue_fields: fields,
  };
}

/** Returns the body of a search for rows with lower keys, highest first. */
function newest(query: Query, size: number, before: number, fields: string[] = []): Query {
  const filter = [{ range: { key: { lt: before } } }];
  const rest = { size, sort: [{ key: 'desc' }], track_total_hits: false, _source: false };
  return { ...rest, query: { bool: { must: [query], filter } }, docvalue_fields: ['id', 'key', ...fields] };
}

function toRow({ fields }: Hit): { id: string; key: number } {
  return { id: fields!['id']![0] as string, key: fields!['key']![0] as number };
}

function toPosts({ hits }: Result): PostCandidate[] {
  return hits.hits.map((hit) => {
    const { id, key } = toRow(hit);
    const publishedAt = Math.floor(key / 2 ** POST_COUNTER_BITS);
    return { id, type: hit.fields!['type']![0] as string, key, publishedAt, score: hit._score ?? 1 };
  });
}

function usernamesOf(terms: Term[]): [string, string] {
  const name = terms.flatMap(({ words }) => words).join('_');
  return [name, name.replaceAll('_', '')];
}

/** Returns the account with exactly this name first, then accounts by followers. */
function exactFirst(terms: Term[], same: Result | undefined, found: Result): UserCandidate[] {
  const [name] = usernamesOf(terms);
  const exact = same?.hits.hits.toSorted((a) => (a.fields!['username']![0] === name ? -1 : 1))[0];
  if (exact === undefined) return found.hits.hits.map(toRow);
  const { id } = toRow(exact);
  return [{ id, key: LAST_KEY }, ...found.hits.hits.map(toRow).filter((user) => user.id !== id)];
}

type TagWord = { word: string; isPrefix: boolean };

function tagWords(terms: Term[]): TagWord[] {
  return terms.flatMap(({ words, isPrefix }) =>
    words.map((word, at) => ({ word, isPrefix: isPrefix && at === words.length - 1 })),
  );
}

/** Returns the tags with all words, the most used first. */
function toTags(result: Result, terms: Term[]): TagCount[] {
  const others = tagWords(terms).slice(1);
  const counts = new Map(bucketsOf(result).map(({ key, doc_count }) => [key.slice(key.indexOf(' ') + 1), doc_count]));
  const has = (tag: string): boolean => {
    const own = wordsOf(tag);
    return others.every(({ word, isPrefix }) => own.some((one) => (isPrefix ? one.startsWith(word) : one === word)));
  };
  return [...counts].filter(([tag]) => has(tag)).map(([tag, postsCount]) => ({ tag, postsCount }));
}

function bucketsOf({ aggregations }: Result): { key: string; doc_count: number }[] {
  return aggregations!['values']!.buckets;
}
