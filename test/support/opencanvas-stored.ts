import type { Binary, Db, Document } from 'mongodb';
import { decompressBody } from '../../src/rendering/body-codec.js';
import type { ExpectedRows } from './opencanvas-expected.js';

/** Returns the rows of a database in the form of `expectedRows`: the same fields, by the key as text. */
export async function storedRows(db: Db): Promise<ExpectedRows> {
  const all = async (name: string): Promise<Document[]> => db.collection(name).find().sort({ _id: 1 }).toArray();
  const keyed = (rows: Document[], form: (row: Document) => Document): Map<string, Document> =>
    new Map(rows.map((row) => [String(row._id), form(row)]));
  const inHex = (rows: Document[], form: (row: Document) => Document): Map<string, Document> =>
    new Map(rows.map((row) => [(row._id as Binary).toString('hex'), form(row)]));
  const bodies = keyed(await all('post_bodies'), ({ codec, rawLength, bytes }) => ({
    content: decompressBody({ codec, rawLength, bytes: bytes.buffer }),
  }));
  const items = await db.collection('collection_items').find().sort({ collectionId: 1, position: 1 }).toArray();
  return {
    users: keyed(await all('users'), (row) => ({
      ...pick(row, 'username fullName bio headline interests links profilePicture role settings createdAt updatedAt'),
      featured: row.featuredPostIds.map(String),
    })),
    credentials: keyed(await all('credentials'), (row) => pick(row, 'email emailVerifiedAt importedAt')),
    posts: keyed(await all('posts'), (row) => ({
      ...pick(row, 'title thumbnailUrl tags type isPublic isListed isEdited isDraft version'),
      ...pick(row, 'createdAt contentEditedAt updatedAt'),
      authorId: String(row.authorId),
      author: row.authorSnapshot.username,
      content: bodies.get(String(row._id))!.content,
    })),
    post_event_days: keyed(await all('post_event_days'), (row) =>
      pick(row, 'views reads shares visitorReads visitorShares day'),
    ),
    comments: keyed(await all('comments'), (row) => ({
      ...pick(row, 'content isEdited createdAt updatedAt'),
      postId: String(row.postId),
      ancestors: row.ancestors.map(String),
      parentId: row.parentId === null ? 'none' : String(row.parentId),
    })),
    collections: keyed(await all('collections'), (row) => ({
      ...pick(row, 'title description isPublic tags createdAt'),
      items: items.filter(({ collectionId }) => collectionId.equals(row._id)).map(({ postId }) => String(postId)),
    })),
    interactions: inHex(await all('interactions'), (row) => ({
      ...pick(row, 'targetModel value createdAt'),
      seq: String(row.seq),
    })),
    follows: inHex(await all('follows'), (row) => ({ since: row.since, seq: String(row.seq) })),
  };
}

function pick(row: Document, names: string): Document {
  return Object.fromEntries(names.split(' ').map((name) => [name, row[name]]));
}
