import { Binary, type Db, type Document, type ObjectId } from 'mongodb';
import { COLLECTION_ITEMS, COLLECTIONS } from '../collections/collection-rules.js';
import type { PostCollection } from '../collections/collection.schema.js';
import { COMMENTS, type Comment } from '../comments/comment.schema.js';
import { POSTS } from '../posts/post-counters.js';
import type { Post } from '../posts/post.schema.js';
import { type User, USERS } from '../users/user.schema.js';

type Id = ObjectId | Binary;
export type NamedUser = Pick<User, '_id' | 'username' | 'previousUsernames'>;

const FIELDS = {
  [USERS]: { username: 1, previousUsernames: 1, fullName: 1, profilePicture: 1, updatedAt: 1, deletedAt: 1 },
  [POSTS]: { authorId: 1, isListed: 1, createdAt: 1, updatedAt: 1, deletedAt: 1 },
  [COMMENTS]: { postId: 1, updatedAt: 1, deletedAt: 1 },
  [COLLECTIONS]: { updatedAt: 1, deletedAt: 1 },
} as const;

export type TargetUser = Pick<User, '_id' | keyof (typeof FIELDS)['users']>;
export type TargetPost = Pick<Post, '_id' | keyof (typeof FIELDS)['posts']>;
export type TargetComment = Pick<Comment, '_id' | keyof (typeof FIELDS)['comments']>;
export type TargetCollection = Pick<PostCollection, '_id' | keyof (typeof FIELDS)['collections']>;

/** Returns a primary key as hex. */
export function keyOf(id: Id): string {
  return id instanceof Binary ? id.toString('hex') : id.toHexString();
}

/** Reads the target rows that later stages refer to. In a dry run, also returns the rows that would have been written. */
export class TargetLookup {
  private readonly unwritten = new Map<string, Map<string, Document>>();

  constructor(private readonly db: Db) {}

  users = (ids: ObjectId[]): Promise<Map<string, TargetUser>> => this.find(USERS, ids, FIELDS[USERS]);
  posts = (ids: ObjectId[]): Promise<Map<string, TargetPost>> => this.find(POSTS, ids, FIELDS[POSTS]);
  comments = (ids: ObjectId[]): Promise<Map<string, TargetComment>> => this.find(COMMENTS, ids, FIELDS[COMMENTS]);
  collections = (ids: ObjectId[]): Promise<Map<string, TargetCollection>> =>
    this.find(COLLECTIONS, ids, FIELDS[COLLECTIONS]);

  /** Returns the keys of the items of a collection. */
  async itemsOf(collectionId: ObjectId): Promise<Binary[]> {
    const items = this.db.collection<{ _id: Binary }>(COLLECTION_ITEMS);
    const rows = await items.find({ collectionId }, { projection: { _id: 1 } }).toArray();
    return rows.map(({ _id }) => _id);
  }

  /** Returns rows by `keyOf` their id, deleted ones included. */
  async find<Row extends { _id: Id }>(
    collection: string,
    ids: readonly Id[],
    projection: Record<string, 1>,
  ): Promise<Map<string, Row>> {
    const rows = new Map<string, Row>();
    if (ids.length === 0) return rows;
    const options = { projection, batchSize: ids.length + 1 };
    const found = this.db.collection<Document>(collection).find({ _id: { $in: ids as never[] } }, options);
    for (const row of await found.toArray()) rows.set(keyOf(row._id), row as unknown as Row);
    const unwritten = this.unwritten.get(collection);
    for (const id of unwritten === undefined ? [] : ids) {
      const row = unwritten!.get(keyOf(id));
      if (row !== undefined) rows.set(keyOf(id), row as Row);
    }
    return rows;
  }

  /** Returns the account id by username, for current and previous names. */
  async ownersOfNames(names: string[]): Promise<Map<string, string>> {
    const among = { $in: names };
    const earlier = { previousUsernames: among, 'previousUsernames.0': { $exists: true } };
    const owners = new Map<string, string>();
    for (const filter of [{ username: among }, earlier]) {
      const found = this.db
        .collection<NamedUser>(USERS)
        .find(filter, { projection: { username: 1, previousUsernames: 1 } });
      for await (const { _id, username, previousUsernames } of found)
        for (const name of [username, ...previousUsernames]) owners.set(name, _id.toHexString());
    }
    this.addUnwritten(owners, 'names', names);
    return owners;
  }

  /** Returns the account id by address, for current and reserved (`heldEmail`) addresses. */
  async ownersOfAddresses(emails: string[]): Promise<Map<string, string>> {
    const owners = new Map<string, string>();
    const filter = { $or: [{ email: { $in: emails } }, { heldEmail: { $in: emails } }] };
    const found = this.db
      .collection<{ _id: ObjectId; email: string; heldEmail: string | null }>('credentials')
      .find(filter, { projection: { email: 1, heldEmail: 1 } });
    for await (const { _id, email, heldEmail } of found)
      for (const address of [email, heldEmail]) if (address !== null) owners.set(address, _id.toHexString());
    this.addUnwritten(owners, 'addresses', emails);
    return owners;
  }

  /** Records the rows of a batch that later rows refer to, in a dry run. */
  recordDryRun(inserts: ReadonlyMap<string, Document[]>): void {
    for (const [collection, fields] of Object.entries(FIELDS)) {
      for (const row of inserts.get(collection) ?? []) {
        const kept = Object.fromEntries(Object.keys(fields).map((field) => [field, row[field]]));
        this.record(collection, String(row['_id']), { ...kept, _id: row['_id'] as unknown });
        if (collection === USERS) this.record('names', String(row['username']), { owner: String(row['_id']) });
      }
    }
    for (const { _id, email } of inserts.get('credentials') ?? [])
      this.record('addresses', String(email), { owner: String(_id) });
  }

  private record(kind: string, key: string, row: Document): void {
    if (!this.unwritten.has(kind)) this.unwritten.set(kind, new Map());
    this.unwritten.get(kind)!.set(key, row);
  }

  private addUnwritten(owners: Map<string, string>, kind: string, keys: string[]): void {
    const unwritten = this.unwritten.get(kind);
    for (const key of unwritten === undefined ? [] : keys) {
      const row = unwritten!.get(key);
      if (row !== undefined) owners.set(key, String(row['owner']));
    }
  }
}
