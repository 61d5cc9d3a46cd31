import type { Term } from '../../common/words.js';
import type { IndexQuery } from '../search-index.js';
import { isOneTypoApart, spellableOf, triesOf } from '../spelling.js';
import type { IndexNames } from './index-names.js';
import { postQuery, type Query, USER_FIELDS, wordQuery } from './queries.js';
import type { Search, Searches } from './searches.js';

/** maximum number of spellings to try for one word */
const MAX_NEIGHBORS = 4;

/** Returns the nearest words with results, or null. Two or three requests, for a query without exact results only. */
export async function correct(searches: Searches, names: IndexNames, query: IndexQuery): Promise<Term[] | null> {
  const { terms, kinds } = query;
  const places = spellableOf(terms);
  if (places.length === 0) return null;
  const both = `${names.alias('posts')},${names.alias('users')}`;
  const anyOf = (tried: readonly Term[], isTitlesOnly = false): Search => {
    const should = [
      ...(kinds.includes('posts') ? [postQuery(tried, query, { isTitlesOnly })] : []),
      ...(kinds.includes('users') ? [wordQuery(tried, USER_FIELDS)] : []),
      ...(kinds.includes('tags') ? [wordQuery(tried, { tag_words: 1 })] : []),
    ];
    return { index: both, body: { size: 0, terminate_after: 1, query: { bool: { should, minimum_should_match: 1 } } } };
  };
  const suggest = Object.fromEntries(places.map((at) => [`at${at}`, neighborsOf(terms[at]!.words[0]!)]));
  const [near, ...known] = await searches.send([
    { index: both, body: { size: 0, suggest } },
    ...places.map((at) => anyOf([{ ...terms[at]!, isPrefix: false }])),
  ]);
  const unknown = places.filter((_, nth) => !known[nth]!.hits.total!.value);
  const neighbors = new Map(
    places.map((at) => {
      const [word = ''] = terms[at]!.words;
      const options = near!.suggest![`at${at}`]!.flatMap((one) => one.options.map(({ text }) => text));
      return [at, options.filter((other) => isOneTypoApart(word, other)).slice(0, MAX_NEIGHBORS)];
    }),
  );
  const tries = triesOf(terms, places, unknown, neighbors);
  const found = await searches.send([
    ...tries.map((tried) => anyOf(tried, true)),
    ...tries.map((tried) => anyOf(tried)),
  ]);
  // A title is more likely to be the target than a word in a text.
  const first = found.findIndex(({ hits }) => hits.total!.value > 0);
  return first === -1 ? null : tries[first % tries.length]!;
}

/** Returns the suggester of words one typo apart, most frequent first. */
function neighborsOf(text: string): Query {
  const near = { max_edits: 1, prefix_length: 0, min_word_length: 3, accuracy: 0.01, max_term_freq: 1e9 };
  const order = { suggest_mode: 'always', sort: 'frequency', size: 20, shard_size: 100 };
  return { text, term: { field: 'dictionary', string_distance: 'damerau_levenshtein', ...near, ...order } };
}
