import type { Term } from '../../common/words.js';

type Weights = Record<string, number>;
export type Query = Record<string, unknown>;
export type Filters = { type?: string; tag?: string; authorId?: string };

/** BM25 weights as those of SQLite, where a post with all words in title and tags is above others. */
const POST_FIELDS: Weights = { title: 8, tag_words: 6, headings: 3, body: 1 };
const TITLE_FIELDS: Weights = { title: 24, tag_words: 18 };
export const NAME_FIELDS: Weights = { name: 1 };
export const USER_FIELDS: Weights = { name: 1, headline: 1 };
export const COMMENT_FIELDS: Weights = { content: 1 };
/** share of the weight that words with the prefix have */
const PREFIX_WEIGHT = 0.3;
const MAX_EXPANSIONS = 1_000;

const all = (queries: Query[]): Query => ({ bool: { must: queries } });
const any = (queries: Query[]): Query => ({ bool: { should: queries, minimum_should_match: 1 } });

/** Words contain only letters, marks and digits, and are values of a query, so they are never syntax. */
function termQuery({ words, isPrefix }: Term, fields: Weights): Query {
  const [first = ''] = words;
  const query = joinedOf(words);
  const queries = Object.entries(fields).flatMap(([field, boost]): Query[] => {
    const whole =
      words.length === 1
        ? { term: { [field]: { value: first, boost } } }
        : { match_phrase: { [field]: { query, boost } } };
    if (!isPrefix) return [whole];
    const weight = boost * PREFIX_WEIGHT;
    const begun =
      words.length === 1
        ? { prefix: { [field]: { value: first, boost: weight } } }
        : { match_phrase_prefix: { [field]: { query, boost: weight, max_expansions: MAX_EXPANSIONS } } };
    return [whole, begun];
  });
  return { dis_max: { queries, tie_breaker: 0.3 } };
}

export function wordQuery(terms: readonly Term[], fields: Weights, operator: 'AND' | 'OR' = 'AND'): Query {
  const queries = terms.map((term) => termQuery(term, fields));
  return operator === 'AND' ? all(queries) : any(queries);
}

export function postQuery(
  terms: readonly Term[],
  { type, tag, authorId }: Filters,
  { operator = 'AND', isTitlesOnly = false }: { operator?: 'AND' | 'OR'; isTitlesOnly?: boolean } = {},
): Query {
  const titled = wordQuery(terms, TITLE_FIELDS, operator);
  return {
    bool: {
      must: isTitlesOnly ? [titled] : [wordQuery(terms, POST_FIELDS, operator)],
      should: [titled],
      filter: [
        ...(type === undefined ? [] : [{ term: { type } }]),
        ...(tag === undefined ? [] : [{ term: { tags: tag } }]),
        ...(authorId === undefined ? [] : [{ term: { author: authorId } }]),
      ],
    },
  };
}

/** Returns a query for rows of which a value of the field has the prefix, and an aggregation that counts those values. */
export function countValues(field: string, prefix: string, size: number): Query {
  // The prefix is a regular expression of Lucene.
  const include = `${prefix.replace(/[^\p{L}\p{N}\p{M} ]/gu, String.raw`\$&`)}.*`;
  const order = [{ _count: 'desc' }, { _key: 'asc' }];
  return {
    size: 0,
    query: { prefix: { [field]: prefix } },
    aggs: { values: { terms: { field, include, size, shard_size: 5 * size, order } } },
  };
}

/** Returns a query for posts with the characteristic words of a post, or with its tags. */
export function similarQuery(
  id: string,
  frequent: [word: string, count: number][],
  tags: string[],
  max: number,
): Query {
  const like = frequent.map(([word, count]) => `${word} `.repeat(Math.min(count, 20))).join('');
  const words = {
    ...{ fields: ['title', 'headings', 'body'], like, analyzer: 'whitespace' },
    ...{ min_term_freq: 1, min_doc_freq: 2, max_doc_freq: max, max_query_terms: 12, minimum_should_match: 1 },
  };
  const queries = [{ more_like_this: words }, ...tags.map((tag) => ({ term: { tags: { value: tag, boost: 3 } } }))];
  return { bool: { should: queries, minimum_should_match: 1, must_not: [{ term: { id } }] } };
}

function joinedOf(words: readonly string[]): string {
  return words.join(' ');
}
