import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Collection, ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { findMany } from '../platform/mongo/lean-reads.js';
import { readRows } from '../platform/mongo/readable-rows.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { type Post, PostSchema } from './post.schema.js';
import { PostBody } from './post-body.schema.js';
import { LISTED } from './visibility.js';

/** A listed post with its visible text, for the search index. */
export type PostText = {
  id: string;
  title: string;
  subtitle?: string | null;
  tags: string[];
  type: string;
  authorId: string;
  /** first publication, in seconds since the epoch */
  publishedAt: number;
  /** `ReadText` as JSON, compressed as in the database */
  text: { codec: string; rawLength: number; bytes: Uint8Array };
};

/** label of skipped rows */
export const SEARCH_POSTS = 'search: posts';

const FIELDS = { title: 1, subtitle: 1, tags: 1, type: 1, authorId: 1, createdAt: 1 } as const;
type TextRow = Pick<Post, '_id' | keyof typeof FIELDS>;

/** Reads public posts with their texts, without hidden and deleted posts. */
@Injectable()
export class IndexablePostsService {
  private readonly posts: Collection<Post>;

  constructor(
    mongo: MongoService,
    @InjectModel(PostBody.name) private readonly bodies: Model<PostBody>,
  ) {
    this.posts = mongo.collection(PostSchema);
  }

  /** Returns the listed posts among the ids, in any order. */
  async find(ids: readonly string[]): Promise<PostText[]> {
    const among = { $in: ids.map((id) => ObjectId.createFromHexString(id)) };
    return this.withBodies(await this.posts.find<TextRow>({ _id: among, ...LISTED }, { projection: FIELDS }).toArray());
  }

  /** Returns the next posts by id; `lastId` is null at the end. A post whose text is being replaced may be missing. */
  async after(id: string | null, limit: number): Promise<{ texts: PostText[]; lastId: string | null }> {
    const range = id === null ? {} : { _id: { $gt: ObjectId.createFromHexString(id) } };
    const rows = await this.posts
      .find<TextRow>({ ...LISTED, ...range }, { projection: FIELDS })
      .sort({ _id: 1 })
      .limit(limit)
      .toArray();
    const lastId = rows.length < limit ? null : rows.at(-1)!._id.toHexString();
    return { texts: await this.withBodies(rows), lastId };
  }

  /** Returns an estimate that includes hidden posts. */
  count(): Promise<number> {
    return this.posts.estimatedDocumentCount();
  }

  private async withBodies(rows: TextRow[]): Promise<PostText[]> {
    if (rows.length === 0) return [];
    const among = { _id: { $in: rows.map(({ _id }) => _id) } };
    const bodies = await findMany(this.bodies, among, { codec: 1, text: 1 });
    const byId = new Map(bodies.map((body) => [body._id.toHexString(), body]));
    return readRows(SEARCH_POSTS, rows, idOf, (row) => toText(row, byId.get(idOf(row)))).flat();
  }
}

function idOf({ _id }: TextRow): string {
  return _id.toHexString();
}

/** Returns nothing for a post that is being deleted. */
function toText(row: TextRow, body: Pick<PostBody, 'codec' | 'text'> | undefined): PostText[] {
  if (body === undefined) return [];
  const { title, subtitle, tags, type, authorId, createdAt } = row;
  // Copies the bytes, because all texts of a reply share one buffer, which another thread would get as a whole.
  const { rawLength, bytes } = body.text;
  const text = { codec: body.codec, rawLength, bytes: Uint8Array.from(bytes.buffer) };
  const publishedAt = Math.floor(createdAt.getTime() / 1_000);
  return [{ id: idOf(row), title, subtitle, tags, type, authorId: authorId.toHexString(), publishedAt, text }];
}
