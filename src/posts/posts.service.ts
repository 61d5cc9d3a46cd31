import { Injectable } from '@nestjs/common';
import { type ClientSession, type Collection, ObjectId } from 'mongodb';
import type { Viewer } from '../platform/http/viewer.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { decompressBody } from './body-codec.js';
import { CARD_PROJECTION, type PostCard, type PostCardRow, toPostCard } from './post-card.js';
import type { PostDraft } from './post-draft.js';
import { POST_BODIES, type PostBodyRow, type PostRow, POSTS, type PostStats } from './post-row.js';
import { canRead, type Post, POST_PROJECTION, postNotFound, type PostViewRow, toPost } from './post-view.js';
import { type CreateOptions, PostWritesService } from './post-writes.service.js';

/** What other rooms need to know of a post to decide about it inside their own transaction. */
export type PostTarget = Pick<PostRow, '_id' | 'authorId' | 'isListed' | 'isPublic' | 'deletedAt' | 'stats'>;

const TARGET_PROJECTION = { authorId: 1, isListed: 1, isPublic: 1, deletedAt: 1, stats: 1 } as const;
const COUNTERS = ['viewsCount', 'readsCount', 'likesCount', 'dislikesCount', 'sharesCount', 'commentsCount'] as const;

/** Posts by id, and what comments, interactions and the feed may ask of them. */
@Injectable()
export class PostsService {
  private readonly posts: Collection<PostRow>;
  private readonly bodies: Collection<PostBodyRow>;

  constructor(
    mongo: MongoService,
    private readonly writes: PostWritesService,
  ) {
    this.posts = mongo.collection<PostRow>(POSTS);
    this.bodies = mongo.collection<PostBodyRow>(POST_BODIES);
  }

  /** Publishes a post (or keeps it as a hidden draft). `onCommit` joins the transaction. */
  create(viewer: Viewer, draft: PostDraft, options?: CreateOptions): Promise<Post> {
    return this.writes.create(viewer, draft, options);
  }

  /** @throws CodedError `post_not_found`, also for hidden posts of others */
  async get(id: ObjectId, viewer: Viewer | null): Promise<Post> {
    const row = await this.getRow(id, viewer);
    // After the card, never beside it: a body newer than its card only makes the next If-Match fail, an older one would be edited.
    const body = await this.bodies.findOne({ _id: id });
    if (body === null) throw postNotFound();
    return toPost(row, decompressBody({ ...body, bytes: body.bytes.buffer }));
  }

  /** The Markdown as it is stored: compressed bytes, untouched. */
  async getBody(id: ObjectId, viewer: Viewer | null): Promise<{ row: PostViewRow & PostTarget; body: PostBodyRow }> {
    const row = await this.getRow(id, viewer);
    const body = await this.bodies.findOne({ _id: id });
    if (body === null) throw postNotFound();
    return { row, body };
  }

  private async getRow(id: ObjectId, viewer: Viewer | null): Promise<PostViewRow & PostTarget> {
    const projection = { ...POST_PROJECTION, ...TARGET_PROJECTION };
    // by the id alone: the server has a short cut for that (IDHACK), and for nothing more
    const row = await this.posts.findOne<PostViewRow & PostTarget>({ _id: id }, { projection });
    if (row === null || row.deletedAt !== null || !canRead(row, viewer)) throw postNotFound();
    return row;
  }

  /** Whatever is known of these posts, deleted ones too, by hex id; inside a transaction the rows it sees. */
  async findTargets(ids: readonly ObjectId[], session?: ClientSession): Promise<Map<string, PostTarget>> {
    const found = new Map<string, PostTarget>();
    if (ids.length === 0) return found;
    const filter = ids.length === 1 ? { _id: ids[0]! } : { _id: { $in: [...ids] } };
    const rows = this.posts.find<PostTarget>(filter, { projection: TARGET_PROJECTION, session });
    for await (const row of rows) found.set(row._id.toHexString(), row);
    return found;
  }

  /** @throws CodedError `post_not_found` for unknown and deleted posts and for hidden ones of others */
  async getReadable(id: ObjectId, viewer: Viewer | null, session?: ClientSession): Promise<PostTarget> {
    const target = (await this.findTargets([id], session)).get(id.toHexString());
    if (target === undefined || target.deletedAt !== null || !canRead(target, viewer)) throw postNotFound();
    return target;
  }

  /** Adds differences to counters (hex post id -> differences) in one round trip of the caller's transaction; `updatedAt` stays. */
  async applyStats(changes: ReadonlyMap<string, Partial<PostStats>>, session: ClientSession): Promise<void> {
    const updates = [...changes].flatMap(([hex, change]) => {
      const moved = COUNTERS.filter((counter) => (change[counter] ?? 0) !== 0);
      if (moved.length === 0) return [];
      const $inc = Object.fromEntries(moved.map((counter) => [`stats.${counter}`, change[counter]!]));
      return [{ updateOne: { filter: { _id: ObjectId.createFromHexString(hex) }, update: { $inc } } }];
    });
    if (updates.length > 0) await this.posts.bulkWrite(updates, { session, ordered: false });
  }

  /** The cards among `ids` that the viewer may see, in the order of `ids`. */
  async findCards(ids: readonly ObjectId[], viewer: Viewer | null): Promise<PostCard[]> {
    if (ids.length === 0) return [];
    const projection = { ...CARD_PROJECTION, isListed: 1, deletedAt: 1 };
    const rows = await this.posts.find<PostCardRow & PostTarget>({ _id: { $in: [...ids] } }, { projection }).toArray();
    const byId = new Map(rows.map((row) => [row._id.toHexString(), row]));
    return ids.flatMap((id) => {
      const row = byId.get(id.toHexString());
      return row === undefined || row.deletedAt !== null || !canRead(row, viewer) ? [] : [toPostCard(row)];
    });
  }
}
