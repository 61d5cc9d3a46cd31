import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ObjectId } from 'mongodb';
import { renderPost } from '../../../src/rendering/render-markdown.js';
import { encodeText } from '../../../src/rendering/rendered-html.js';
import type {
  IndexQuery,
  IndexReader,
  IndexWriter,
  PostDocument,
  UserDocument,
} from '../../../src/search/search-index.js';
import { SqliteReader } from '../../../src/search/sqlite/sqlite-reader.js';
import { SqliteWriter } from '../../../src/search/sqlite/sqlite-writer.js';
import { termsOf } from '../../../src/common/words.js';

export type TestIndex = {
  path: string;
  writer: IndexWriter;
  reader: IndexReader;
  /** Replaces all documents. */
  fill: (posts: PostDocument[], users?: UserDocument[]) => Promise<void>;
  /** Returns ids of posts, best first. */
  find: (q: string, query?: Partial<IndexQuery>) => Promise<string[]>;
};

/** @param path of the index, which no other index has */
export type OpenIndex = (path: string) => { writer: IndexWriter; reader: IndexReader };

/** An index in the thread of the test. */
export const openSqlite: OpenIndex = (path) => ({
  writer: asynchronous<IndexWriter>(new SqliteWriter(path)),
  reader: asynchronous<IndexReader>(new SqliteReader(path)),
});

function asynchronous<Port extends object>(target: object): Port {
  const call =
    (name: string | symbol) =>
    async (...args: unknown[]) =>
      (target as Record<typeof name, (...args: unknown[]) => unknown>)[name]!(...args);
  return new Proxy(target, { get: (_, name) => call(name) }) as Port;
}

/** Provides an index in its own directory for the calling block. The members can be read inside hooks and tests. */
export function useIndex(open: OpenIndex = openSqlite): TestIndex {
  const index = {} as TestIndex;
  let directory: string;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'opencanvas-index-'));
    const path = join(directory, 'index.db');
    const { writer, reader } = open(path);
    await writer.open();
    Object.assign(index, {
      path,
      writer,
      reader,
      fill: (posts: PostDocument[], users: UserDocument[] = []) => fill(writer, posts, users),
      find: async (q: string, query: Partial<IndexQuery> = {}) => {
        const { posts } = await reader.query({ terms: termsOf(q), kinds: ['posts'], sort: 'relevance', ...query });
        return posts.map(({ id }) => id);
      },
    });
  });
  afterAll(async () => {
    await index.reader.close();
    await index.writer.close();
    rmSync(directory, { recursive: true });
  });
  return index;
}

async function fill(writer: IndexWriter, posts: PostDocument[], users: UserDocument[]): Promise<void> {
  const byId = <T extends { id: string }>(documents: T[]): T[] => documents.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  await writer.startScan({ token: null, at: Date.now() });
  await writer.applyScan({ kind: 'posts', after: null, upTo: null, documents: byId(posts) });
  await writer.applyScan({ kind: 'users', after: null, upTo: null, documents: byId(users) });
  await writer.applyScan({ kind: 'comments', after: null, upTo: null, documents: [] });
}

export function postDocument(fields: Partial<Omit<PostDocument, 'text'>> & { body?: string } = {}): PostDocument {
  const { body = 'Nothing to see here.', id = new ObjectId().toHexString(), ...others } = fields;
  return {
    id,
    publishedAt: Number.parseInt(id.slice(0, 8), 16),
    title: 'Untitled',
    tags: [],
    type: 'article',
    authorId: new ObjectId().toHexString(),
    ...others,
    text: encodeText(renderPost(body).read),
  };
}

export function userDocument(fields: Partial<UserDocument> = {}): UserDocument {
  return {
    id: new ObjectId().toHexString(),
    username: 'somebody',
    fullName: 'Some Body',
    headline: '',
    followersCount: 0,
    ...fields,
  };
}
