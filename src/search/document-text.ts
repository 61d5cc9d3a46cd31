import { createHash } from 'node:crypto';
import { decompressBody } from '../rendering/body-codec.js';
import type { ReadText } from '../rendering/rendered-html.js';
import type { CommentDocument, PostDocument, UserDocument } from './search-index.js';
import { wordsOf } from '../common/words.js';

/** Indexed parts of a document. The digest differs if any part differs. */
export type PostText = { digest: string; title: string[]; tags: string[]; headings: string[]; body: string[] };

/** Further occurrences of a word cost each query time without improving the ranking. */
const MAX_PLACES_OF_WORD = 100;
/** Replaces an omitted word, so that its neighbors form no phrase. No query can contain this word. */
const OMITTED_WORD = '§';

export function postDigest({ title, subtitle, tags, type, authorId, publishedAt, text }: PostDocument): string {
  // Hashes the stored text, because equal texts compress to equal bytes.
  return digestOf([title, subtitle, tags, type, authorId, publishedAt, text.rawLength], text.bytes);
}

export function postText(document: PostDocument): PostText {
  const { headings, text } = JSON.parse(decompressBody(document.text)) as ReadText;
  return {
    digest: postDigest(document),
    title: wordsOf(document.title),
    tags: document.tags.flatMap(wordsOf),
    headings: withoutRepeats([document.subtitle ?? '', ...headings].flatMap(wordsOf)),
    body: withoutRepeats(wordsOf(text)),
  };
}

/** occurrences in the body that equal one in the title, or in a heading */
const TITLE_COUNT = 3;
const HEADING_COUNT = 2;
/** About half of the frequent words of a long text are too common to describe it. */
const MAX_TERMS = 64;

/** Returns the most frequent words with their counts. */
export function frequentWords({ title, headings, body }: PostText): Record<string, number> {
  const counts = new Map<string, number>();
  const add = (words: string[], count: number): void => {
    for (const word of words) if (word !== OMITTED_WORD) counts.set(word, (counts.get(word) ?? 0) + count);
  };
  add(title, TITLE_COUNT);
  add(headings, HEADING_COUNT);
  add(body, 1);
  return Object.fromEntries([...counts].sort(([, a], [, b]) => b - a).slice(0, MAX_TERMS));
}

export function userDigest({ username, fullName, headline }: UserDocument): string {
  return digestOf([username, fullName, headline]);
}

export function commentText({ content }: CommentDocument): { digest: string; content: string[] } {
  return { digest: digestOf([content]), content: withoutRepeats(wordsOf(content)) };
}

/** Returns words that find a name by its parts, and by its letters or digits alone. */
export function usernameWords(username: string): string[] {
  const parts = username.split(/[_]+|(?<=[a-z])(?=[0-9])|(?<=[0-9])(?=[a-z])/).filter((part) => part !== '');
  return [...new Set([...wordsOf(username), ...parts, username.replaceAll('_', '')])];
}

/** Terms that narrow a query to a type, a tag or an author. No word of a text begins with `§`. */
export const FILTER = {
  type: (type: string) => `§t${token(type)}`,
  tag: (tag: string) => `§g${token(tag)}`,
  author: (id: string) => `§a${id}`,
};

/** Replaces ASCII signs, because the tokenizer of the index would split at them. */
function token(text: string): string {
  return text.replace(/[^\p{L}\p{N}\p{M}]/gu, '‐');
}

function withoutRepeats(words: readonly string[]): string[] {
  const counts = new Map<string, number>();
  return words.map((word) => {
    const count = (counts.get(word) ?? 0) + 1;
    counts.set(word, count);
    return count > MAX_PLACES_OF_WORD ? OMITTED_WORD : word;
  });
}

function digestOf(fields: unknown, bytes: Uint8Array = new Uint8Array()): string {
  return createHash('sha1').update(JSON.stringify(fields)).update(bytes).digest('base64url');
}
