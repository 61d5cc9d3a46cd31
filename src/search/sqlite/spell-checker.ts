import { isOneTypoApart, restsOf } from '../spelling.js';
import { isSpellable, type Term } from '../words.js';
import type { Database, PostTable } from './database.js';

/** The maximum of spellings to try for one word. */
const MAX_NEIGHBOURS = 4;

/** Finds corrections when no document has all the words. */
export class SpellChecker {
  /** @param hasAny whether any document has all of these, in its title words or anywhere */
  constructor(
    private readonly database: Database,
    private readonly hasAny: (terms: readonly Term[], posts?: PostTable) => boolean,
  ) {}

  /** The nearest words with results: replaces unknown words first, then one known word. */
  correct(terms: readonly Term[]): Term[] | null {
    const places = terms.flatMap(({ words }, at) => (words.length === 1 && isSpellable(words[0]!) ? [at] : []));
    const unknown = places.filter((at) => !this.hasAny([{ ...terms[at]!, isPrefix: false }]));
    const neighbours = new Map(places.map((at) => [at, this.neighboursOf(terms[at]!.words[0]!)]));
    const best = terms.map((term, at) => {
      const [nearest] = unknown.includes(at) ? neighbours.get(at)! : [];
      return nearest === undefined ? term : termOf(nearest);
    });
    const single = [...unknown, ...places.filter((place) => !unknown.includes(place))].flatMap((at) =>
      neighbours.get(at)!.map((word) => best.with(at, termOf(word))),
    );
    const tries = best.some((term, at) => term !== terms[at]) ? [best, ...single] : single;
    // a title is more likely to be the target than a word in a text
    return (
      tries.find((tried) => this.hasAny(tried, 'posts_titles')) ?? tries.find((tried) => this.hasAny(tried)) ?? null
    );
  }

  /** Words one typo apart, the most frequent first. */
  private neighboursOf(word: string): string[] {
    const rests = restsOf(word);
    const marks = rests.map(() => '?').join(', ');
    const rows = this.database.all<{ word: string }>(
      `SELECT word, n FROM words WHERE word IN (${marks}) OR word IN (SELECT word FROM rests WHERE rest IN (?, ${marks})) ORDER BY n DESC, word`,
      ...[...rests, word, ...rests],
    );
    const near = rows.map((row) => row.word).filter((other) => isOneTypoApart(word, other));
    return near.slice(0, MAX_NEIGHBOURS);
  }
}

function termOf(word: string): Term {
  return { words: [word], isPrefix: false };
}
