import { type Db, ObjectId } from 'mongodb';
import { BsonFields } from '../common/bson-fields.js';
import { BatchLoader } from '../common/batch-loader.js';
import { MAX_LIMIT } from '../platform/http/pagination/page.query.js';
import { findRaw, type RawDocuments } from '../platform/mongo/raw-read.js';
import type { SecondaryReads } from '../platform/mongo/secondary-reads.js';
import { MAX_CONTENT_LENGTH } from './comment-rules.js';
import { COMMENT_PAGES, COMMENTS } from './comment.schema.js';
import { COMMENT_PROJECTION } from './comment-view.js';

/** Posts with at most this many comments are read in batches, because their first page contains nearly all comments. */
export const BATCHABLE_COMMENTS = 20;
/** four bytes a character, with author and ancestors */
const MAX_ROW_BYTES = 4 * MAX_CONTENT_LENGTH + 6_000;
/** Their comments fit into one response of 16 MB. Only incorrect counters exceed the limit. */
const MAX_POSTS = Math.floor(16_000_000 / MAX_ROW_BYTES / BATCHABLE_COMMENTS);
const MAX_ROWS = MAX_POSTS * BATCHABLE_COMMENTS + 1;

const fields = new BsonFields(['postId']);

/**
 * Loads the newest top-level comments of posts with few comments. Requests that arrive during a round trip share the next one, with one
 * index range per post. Comment counts are estimates: if a response is too small, the loader reads each post individually.
 */
export class FirstCommentsLoader {
  private readonly group = new BatchLoader<RawDocuments>({ read: (keys) => this.readAll(keys), maxBatch: MAX_POSTS });

  constructor(
    private readonly db: () => Db,
    private readonly reads: SecondaryReads,
  ) {}

  /** Returns all comments, or the largest first page plus one. */
  async read(postId: ObjectId): Promise<RawDocuments> {
    return (await this.group.get(postId.toHexString())) ?? { buffer: Buffer.alloc(0), offsets: [] };
  }

  private async readAll(keys: string[]): Promise<Map<string, RawDocuments>> {
    const found = await this.find({ $in: keys.map((key) => ObjectId.createFromHexString(key)) }, MAX_ROWS);
    if (found.offsets.length < MAX_ROWS) return byPost(found);
    const alone = async (key: string): Promise<[string, RawDocuments]> => [
      key,
      await this.find(ObjectId.createFromHexString(key), MAX_LIMIT + 1),
    ];
    return new Map(await Promise.all(keys.map(alone)));
  }

  private find(postId: unknown, limit: number): Promise<RawDocuments> {
    const find = {
      filter: { postId, parentId: null, isVisible: true },
      projection: COMMENT_PROJECTION,
      // The order of the index avoids a sort.
      sort: COMMENT_PAGES,
      hint: COMMENT_PAGES,
      limit,
    };
    return this.reads.run('comments', (target) => findRaw(this.db(), COMMENTS, find, target));
  }
}

function byPost({ buffer, offsets }: RawDocuments): Map<string, RawDocuments> {
  const pages = new Map<string, RawDocuments>();
  for (const offset of offsets) {
    fields.read(buffer, offset);
    const at = fields.offsets[0]!;
    const key = buffer.toString('hex', at, at + 12);
    const page = pages.get(key);
    if (page === undefined) pages.set(key, { buffer, offsets: [offset] });
    else page.offsets.push(offset);
  }
  return pages;
}
