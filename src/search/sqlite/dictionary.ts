import { restsOf } from '../spelling.js';
import { isSpellable, wordsOf } from '../words.js';
import type { Database } from './database.js';

/** Counts of words and tags, changed by the documents of one transaction and written at its end. */
export class Dictionary {
  private readonly words = new Map<string, number>();
  private readonly tags = new Map<string, number>();

  constructor(private readonly database: Database) {}

  /** @param sign 1: a document now has them; -1: it no longer has them */
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

/** The words for the dictionary: a character of a script without spaces completes nothing. */
export function entriesOf(words: readonly string[]): string[] {
  return [...new Set(words)].filter((word) => word.length > 1);
}

function spellingsOf(word: string): string[] {
  return isSpellable(word) ? restsOf(word) : [];
}
