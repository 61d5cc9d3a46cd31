import { frequentWords, postDigest, postText, userDigest, usernameWords, commentText } from '../document-text.js';
import { commentKey, postKey, userKey } from '../document-keys.js';
import { wordsOf } from '../../common/words.js';
import type { CommentDocument, DocumentKind, Documents, PostDocument, UserDocument } from '../search-index.js';
import { entriesOf } from '../spelling.js';

const KEYWORD = { type: 'keyword' } as const;
const text = (shortestPrefix: number) => ({
  type: 'text',
  // The text is already split and folded.
  analyzer: 'whitespace',
  index_prefixes: { min_chars: shortestPrefix, max_chars: 8 },
});
const ROW = { id: KEYWORD, key: { type: 'long' }, digest: { ...KEYWORD, index: false, doc_values: false } } as const;

const PROPERTIES: Record<DocumentKind, object> = {
  posts: {
    ...ROW,
    ...{ type: KEYWORD, author: KEYWORD, tags: KEYWORD, dictionary: KEYWORD, tag_entries: KEYWORD },
    ...{ title: text(2), tag_words: text(2), headings: text(2), body: text(2) },
    frequent: { type: 'object', enabled: false },
  },
  users: { ...ROW, username: KEYWORD, dictionary: KEYWORD, name: text(1), headline: text(1) },
  comments: { ...ROW, content: text(2) },
};

/** Body of the request that creates an index. Shards and replicas are those of the cluster's index templates. */
export function indexOf(kind: DocumentKind): object {
  return {
    settings: { refresh_interval: '200ms', 'index.gc_deletes': '1h' },
    mappings: { dynamic: false, properties: PROPERTIES[kind] },
  };
}

/** A document of OpenSearch. */
export type Row = { id: string; key: number; digest: string };

const joined = (words: readonly string[]): string => words.join(' ');

/** Returns digest and key without reading the text, which costs more. Another pair is another row. */
export function identityOf(kind: DocumentKind, document: Documents[DocumentKind]): { digest: string; key: number } {
  if (kind === 'posts') {
    const post = document as PostDocument;
    return { digest: postDigest(post), key: Number(postKey(post.id, post.publishedAt)) };
  }
  if (kind === 'users') {
    const user = document as UserDocument;
    const key = Number(userKey(user.id, user.followersCount));
    return { digest: `${userDigest(user)} ${key}`, key };
  }
  const comment = document as CommentDocument;
  return { digest: commentText(comment).digest, key: Number(commentKey(comment.id)) };
}

/** @throws an error for a post whose text cannot be read */
export function rowOf(kind: DocumentKind, document: Documents[DocumentKind]): Row {
  const row = { id: document.id, ...identityOf(kind, document) };
  if (kind === 'posts') return { ...row, ...postFields(document as PostDocument) };
  if (kind === 'comments') return { ...row, ...{ content: joined(commentText(document as CommentDocument).content) } };
  const { username, fullName, headline } = document as UserDocument;
  const names = wordsOf(fullName);
  const fields = { name: joined([...usernameWords(username), ...names]), headline: joined(wordsOf(headline)) };
  return { ...row, ...fields, ...{ username, dictionary: entriesOf(names) } };
}

function postFields(post: PostDocument): object {
  const words = postText(post);
  const { type, tags, authorId: author } = post;
  return {
    ...{ type, author, tags },
    title: joined(words.title),
    tag_words: joined(words.tags),
    headings: joined(words.headings),
    body: joined(words.body),
    dictionary: entriesOf([...words.title, ...words.tags]),
    // finds a tag by the beginning of any of its words, and counts its posts
    tag_entries: tags.flatMap((tag) => [...new Set(wordsOf(tag))].map((word) => `${word} ${tag}`)),
    frequent: Object.entries(frequentWords(words)),
  };
}
