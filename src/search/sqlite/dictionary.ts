import { isSpellable, type Term, wordsOf } from '../../common/words.js';
import { isOneTypoApart, spellableOf, triesOf } from '../spelling.js';
import type { Database, PostTable } from './database.js';

/** maximum number of spellings to try for one word */
const MAX_NEIGHBORS = 4;

/** Counts the words and tags of documents, and writes the counts at the end of the transaction. */
export class Dictionary {
  private readonly words = new Map<string, number>();
  private readonly tags = new Map<string, number>();

  constructor(private readonly database: Database) {}

  /** @param sign 1: added by a document; -1: removed */
  count(words: readonly string[], tags: readonly string[], sign: 1 | -1): void {
    for (const word of words) this.words.set(word, (this.words.get(word) ?? 0) + sign);
    for (const tag of tags) this.tags.set(tag, (this.tags.get(tag) ?? 0) + sign);
  }

  write(): void {
    for (const [word, change] of this.words) if (change !== 0) this.writeWord(word, change);
    for (const [tag, change] of this.tags) if (change !== 0) this.writeTag(tag, change);
    this.words.clear();
    this.tags.clear();
  }

  private writeWord(word: string, change: number): void {
    const { database } = this;
    const old = database.get<{ n: number }>('SELECT n FROM words WHERE word = ?', word)?.n ?? 0;
    const n = BigInt(old + change);
    if (n <= 0n) {
      database.run('DELETE FROM words WHERE word = ?', word);
      for (const rest of spellingsOf(word)) database.run('DELETE FROM rests WHERE rest = ? AND word = ?', rest, word);
    } else if (old > 0) {
      database.run('UPDATE words SET n = ? WHERE word = ?', n, word);
    } else {
      database.run('INSERT INTO words(word, n) VALUES (?, ?)', word, n);
      for (const rest of spellingsOf(word)) database.run('INSERT INTO rests(rest, word) VALUES (?, ?)', rest, word);
    }
  }

  private writeTag(tag: string, change: number): void {
    const { database } = this;
    const old = database.get<{ n: number }>('SELECT n FROM tags WHERE tag = ?', tag)?.n ?? 0;
    const n = BigInt(old + change);
    const words = [...new Set(wordsOf(tag))];
    if (n <= 0n) {
      database.run('DELETE FROM tags WHERE tag = ?', tag);
      for (const word of words) database.run('DELETE FROM tag_words WHERE word = ? AND tag = ?', word, tag);
    } else if (old > 0) {
      database.run('UPDATE tags SET n = ? WHERE tag = ?', n, tag);
    } else {
      database.run('INSERT INTO tags(tag, n) VALUES (?, ?)', tag, n);
      for (const word of words) database.run('INSERT INTO tag_words(word, tag) VALUES (?, ?)', word, tag);
    }
  }
}

function spellingsOf(word: string): string[] {
  return isSpellable(word) ? restsOf(word) : [];
}

/** Finds corrections if no document contains all words. */
export class SpellChecker {
  /** @param hasAny whether any document contains all terms, in its title words or anywhere */
  constructor(
    private readonly database: Database,
    private readonly hasAny: (terms: readonly Term[], posts?: PostTable) => boolean,
  ) {}

  /** Returns the nearest words with results. Replaces unknown words first, then one known word. */
  correct(terms: readonly Term[]): Term[] | null {
    const places = spellableOf(terms);
    const unknown = places.filter((at) => !this.hasAny([{ ...terms[at]!, isPrefix: false }]));
    const neighbors = new Map(places.map((at) => [at, this.neighborsOf(terms[at]!.words[0]!)]));
    const tries = triesOf(terms, places, unknown, neighbors);
    // A title is more likely to be the target than a word in a text.
    return (
      tries.find((tried) => this.hasAny(tried, 'posts_titles')) ?? tries.find((tried) => this.hasAny(tried)) ?? null
    );
  }

  /** Returns words one typo apart, most frequent first. */
  private neighborsOf(word: string): string[] {
    const rests = restsOf(word);
    const marks = rests.map(() => '?').join(', ');
    const rows = this.database.all<{ word: string }>(
      `SELECT word, n FROM words WHERE word IN (${marks}) OR word IN (SELECT word FROM rests WHERE rest IN (?, ${marks})) ORDER BY n DESC, word`,
      ...[...rests, word, ...rests],
    );
    const near = rows.map((row) => row.word).filter((other) => isOneTypoApart(word, other));
    return near.slice(0, MAX_NEIGHBORS);
  }
}

/** Returns all words made by deleting one letter. Two words one typo apart share such a word, or one is a deletion of the other. */
export function restsOf(word: string): string[] {
  const letters = [...word];
  return [
    ...new Set(
      letters.map((_, at) =>
        letters
          .slice(0, at)
          .concat(letters.slice(at + 1))
          .join(''),
      ),
    ),
  ];
}
