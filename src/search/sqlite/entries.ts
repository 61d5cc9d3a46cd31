import type { CommentDocument, DocumentKind, Documents, PostDocument, UserDocument } from '../search-index.js';
import { wordsOf } from '../../common/words.js';
import { commentKey, followersTier, postKey, tierOfKey, userKey } from '../document-keys.js';
import type { Database } from './database.js';
import { entriesOf } from '../spelling.js';
import type { Dictionary } from './dictionary.js';
import {
  commentText,
  FILTER,
  frequentWords,
  postDigest,
  type PostText,
  postText,
  userDigest,
  usernameWords,
} from '../document-text.js';

/** tables that find a document by its words */
export const TEXT_TABLES = {
  posts: ['posts_text', 'posts_titles'],
  users: ['users_text'],
  comments: ['comments_text'],
} as const;

type PostEntry = { key: number; digest: string; words: string; tags: string };
type NamedEntry = { key: number; digest: string; words: string };

/**
 * Skips posts whose text cannot be read, which are then not in the index.
 * @returns the number of documents that differed from the index
 */
export function putAll(
  database: Database,
  dictionary: Dictionary,
  kind: DocumentKind,
  documents: readonly Documents[DocumentKind][],
  onUnreadable: (id: string, error: unknown) => void,
): number {
  const put = {
    posts: (document: PostDocument) => putPost(database, dictionary, document, onUnreadable),
    users: (document: UserDocument) => putUser(database, dictionary, document),
    comments: (document: CommentDocument) => putComment(database, dictionary, document),
  }[kind] as (document: Documents[DocumentKind]) => boolean;
  return documents.filter(put).length;
}

/** @returns the number of these documents that were in the index */
export function deleteAll(
  database: Database,
  dictionary: Dictionary,
  kind: DocumentKind,
  ids: readonly string[],
): number {
  const found = ids.flatMap((id) => findEntry(database, kind, id) ?? []);
  for (const entry of found) deleteEntry(database, dictionary, kind, entry);
  return found.length;
}

function putPost(
  database: Database,
  dictionary: Dictionary,
  post: PostDocument,
  onUnreadable: (id: string, error: unknown) => void,
): boolean {
  const old = findEntry(database, 'posts', post.id);
  if (old?.digest === postDigest(post)) return false;
  if (old !== undefined) deleteEntry(database, dictionary, 'posts', old);
  let text: PostText;
  try {
    text = postText(post);
  } catch (error) {
    onUnreadable(post.id, error);
    return old !== undefined;
  }
  const key = freeKey(database, 'posts', postKey(post.id, post.publishedAt));
  const filters = [FILTER.type(post.type), FILTER.author(post.authorId), ...post.tags.map(FILTER.tag)];
  const [title, tags, filter] = [joined(text.title), joined(text.tags), joined(filters)];
  database.run(
    'INSERT INTO posts_text(rowid, title, tags, headings, body, filters) VALUES (?, ?, ?, ?, ?, ?)',
    ...[key, title, tags, joined(text.headings), joined(text.body), filter],
  );
  database.run(
    'INSERT INTO posts_titles(rowid, title, tags, filters) VALUES (?, ?, ?, ?)',
    ...[key, title, tags, filter],
  );
  const words = entriesOf([...text.title, ...text.tags]);
  database.run(
    'INSERT INTO posts(key, id, type, digest, words, tags, terms) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ...[key, post.id, post.type, text.digest, joined(words)],
    ...[JSON.stringify(post.tags), JSON.stringify(frequentWords(text))],
  );
  dictionary.count(words, post.tags, 1);
  return true;
}

function putUser(database: Database, dictionary: Dictionary, user: UserDocument): boolean {
  const old = findEntry(database, 'users', user.id);
  const digest = userDigest(user);
  if (old?.digest === digest && tierOfKey(old.key) === followersTier(user.followersCount)) return false;
  if (old !== undefined) deleteEntry(database, dictionary, 'users', old);
  const names = wordsOf(user.fullName);
  const key = freeKey(database, 'users', userKey(user.id, user.followersCount));
  const columns = [[...usernameWords(user.username), ...names], wordsOf(user.headline)];
  database.run('INSERT INTO users_text(rowid, name, headline) VALUES (?, ?, ?)', key, ...columns.map(joined));
  const words = entriesOf(names);
  database.run(
    'INSERT INTO users(key, id, username, digest, words) VALUES (?, ?, ?, ?, ?)',
    ...[key, user.id, user.username, digest, joined(words)],
  );
  dictionary.count(words, [], 1);
  return true;
}

/** The dictionary has no words of comments: a correction would reveal those on hidden posts. */
function putComment(database: Database, dictionary: Dictionary, comment: CommentDocument): boolean {
  const old = findEntry(database, 'comments', comment.id);
  const { digest, content } = commentText(comment);
  if (old?.digest === digest) return false;
  if (old !== undefined) deleteEntry(database, dictionary, 'comments', old);
  const key = freeKey(database, 'comments', commentKey(comment.id));
  database.run('INSERT INTO comments_text(rowid, content) VALUES (?, ?)', key, joined(content));
  database.run(`INSERT INTO comments(key, id, digest, words) VALUES (?, ?, ?, '')`, key, comment.id, digest);
  return true;
}

function findEntry(database: Database, kind: DocumentKind, id: string): PostEntry | NamedEntry | undefined {
  const fields = kind === 'posts' ? 'key, digest, words, tags' : 'key, digest, words';
  return database.get<PostEntry | NamedEntry>(`SELECT ${fields} FROM ${kind} WHERE id = ?`, id);
}

function deleteEntry(
  database: Database,
  dictionary: Dictionary,
  kind: DocumentKind,
  entry: PostEntry | NamedEntry,
): void {
  const key = BigInt(entry.key);
  for (const table of TEXT_TABLES[kind]) database.run(`DELETE FROM ${table} WHERE rowid = ?`, key);
  database.run(`DELETE FROM ${kind} WHERE key = ?`, key);
  const words = entry.words.split(' ').filter((word) => word !== '');
  dictionary.count(words, 'tags' in entry ? (JSON.parse(entry.tags) as string[]) : [], -1);
}

function joined(words: readonly string[]): string {
  return words.join(' ');
}

/** Uses the next free key if two ids share a key, which is rare. */
function freeKey(database: Database, kind: DocumentKind, wanted: bigint): bigint {
  let key = wanted;
  while (database.get(`SELECT 1 FROM ${kind} WHERE key = ?`, key) !== undefined) key++;
  return key;
}
