import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Collection, type Document, ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { BatchLoader } from '../common/batch-loader.js';
import type { Viewer } from '../platform/access/viewer.js';
import type { WriteRequest } from '../platform/idempotency/write-request.js';
import { byIds, increment, statsStatements, type UpdateStatement } from '../platform/mongo/update-statements.js';
import { findMany } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { decodeAll, findRaw } from '../platform/mongo/raw-read.js';
import { type ReadTarget, SecondaryReads } from '../platform/mongo/secondary-reads.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { decompressBody } from '../rendering/body-codec.js';
import { ImageLookupService } from '../media/image-lookup.service.js';
import { type Post, PostSchema } from './post.schema.js';
import {
  CARD_PROJECTION,
  type PostCard,
  type PostCardRow,
  type PostSummary,
  type PostSummaryRow,
  SUMMARY_FIELDS,
  toPostCard,
  toPostSummary,
} from './card/post-card.js';
import { ContentFormatsService } from './content-formats.service.js';
import type { PostInput } from './post-draft.js';
import { BODY_FIELDS, PostBody, type PostMarkdown } from './post-body.schema.js';
import { POST_COUNTERS, POSTS, type PostStats } from './post-counters.js';
import { type PostJson, POST_PROJECTION, type PostViewRow, toPost } from './post-view.js';
import { type CreateOptions, type EditOptions, PostWritesService } from './post-writes.service.js';
import { scoredStatsOf, topScore, VISITOR_COUNTERS } from './score.js';
import {
  canSee,
  isListedFor,
  postNotFound,
  type PostVisibility,
  requireVisible,
  VISIBILITY_FIELDS,
} from './visibility.js';

/** The fields of a post that other modules need for decisions inside their transactions. */
export type PostTarget = PostVisibility & Pick<Post, '_id' | 'stats' | 'isLocked' | 'mentions'>;

/** Differences to the counters of a post. */
export type PostChanges = Partial<PostStats & Record<(typeof VISITOR_COUNTERS)[number], number>>;

export type PostVersion = Pick<Post, '_id' | keyof typeof VERSION_PROJECTION>;
type PostReadRow = PostViewRow & PostTarget;

const SUMMARY_PROJECTION = { ...SUMMARY_FIELDS, ...VISIBILITY_FIELDS } as const;
const VERSION_PROJECTION = {
  ...{ authorId: 1, slug: 1, version: 1 },
  ...{ isPublic: 1, isListed: 1, deletedAt: 1, removal: 1 },
} as const;
const TARGET_PROJECTION = { ...VISIBILITY_FIELDS, stats: 1, isLocked: 1, mentions: 1 } as const;

/** Posts by id, and the operations for comments, interactions and the feed. */
@Injectable()
export class PostsService {
  private readonly posts: Collection<Post>;
  /** Concurrent reads of single posts share a round trip, which is half of the cost of a cold post (docs/experiments.md). */
  private readonly rowReads: BatchLoader<PostReadRow>;
  private readonly targetReads: BatchLoader<PostTarget>;
  private readonly bodyReads: BatchLoader<PostMarkdown>;

  constructor(
    private readonly mongo: MongoService,
    private readonly writes: PostWritesService,
    private readonly images: ImageLookupService,
    private readonly formats: ContentFormatsService,
    private readonly reads: SecondaryReads,
    @InjectModel(PostBody.name) private readonly bodies: Model<PostBody>,
  ) {
    this.posts = mongo.collection(PostSchema);
    const readProjection = { ...POST_PROJECTION, ...TARGET_PROJECTION };
    this.rowReads = new BatchLoader({
      read: (keys) => reads.run('post', (target) => this.readMany<PostReadRow>(keys, readProjection, target)),
    });
    this.targetReads = new BatchLoader({ read: (keys) => this.readMany<PostTarget>(keys, TARGET_PROJECTION) });
    // Uses a cursor, because long bodies may need more than one reply.
    this.bodyReads = new BatchLoader({
      maxBatch: 50,
      read: (keys) =>
        reads.run('post', async (target) =>
          byHex(await findMany(this.bodies, { _id: { $in: idsOf(keys) } }, BODY_FIELDS, target)),
        ),
    });
  }

  /** Publishes a post (or saves it as a hidden draft). `onCommit` joins the transaction. */
  async create(write: WriteRequest, draft: PostInput, options?: CreateOptions): Promise<PostJson> {
    const { viewer } = write;
    const { input, dropped } = await this.formats.toMarkdown(draft, viewer.id);
    return this.writes.create(write, await this.images.resolveThumbnail(viewer._id, input), { ...options, dropped });
  }

  /** @throws as `PostWritesService.edit` */
  async edit(id: ObjectId, viewer: Viewer, draft: Partial<PostInput>, options?: EditOptions): Promise<PostJson> {
    const { input, dropped } = await this.formats.toMarkdown(draft, viewer.id);
    return this.writes.edit(id, viewer, await this.images.resolveThumbnail(viewer._id, input), { ...options, dropped });
  }

  /** @throws CodedError `post_not_found`, also for hidden posts of others, except for moderators */
  async get(id: ObjectId, viewer: Viewer | null): Promise<PostJson> {
    const row = await this.getVisible(id, viewer);
    // Reads the body after the card. A newer body only fails the next If-Match, but the client would edit an older body.
    const body = await this.bodyReads.get(id.toHexString());
    if (body === undefined) throw postNotFound();
    return toPost(row, decompressBody({ ...body, bytes: body.bytes.buffer }));
  }

  /** Returns the row of a post without its text. @throws CodedError `post_not_found` */
  async getVisible(id: ObjectId, viewer: Viewer | null): Promise<PostReadRow> {
    return requireVisible(await this.rowReads.get(id.toHexString()), viewer);
  }

  /** Returns the stored Markdown as compressed bytes. */
  async getBody(id: ObjectId, viewer: Viewer | null): Promise<{ row: PostReadRow; body: PostMarkdown }> {
    const row = await this.getVisible(id, viewer);
    const body = await this.bodyReads.get(id.toHexString());
    if (body === undefined) throw postNotFound();
    return { row, body };
  }

  private async readMany<Row extends { _id: ObjectId }>(
    keys: string[],
    projection: Document,
    target?: ReadTarget,
  ): Promise<Map<string, Row>> {
    const filter = { _id: { $in: idsOf(keys) } };
    const find = { filter, projection, limit: keys.length };
    return byHex(decodeAll<Row>(await findRaw(this.mongo.db, POSTS, find, target)));
  }

  /** Returns the posts by hex id, including deleted posts, as the transaction of `session` sees them. */
  async findTargets(ids: readonly ObjectId[], tx?: Transaction): Promise<Map<string, PostTarget>> {
    const found = new Map<string, PostTarget>();
    if (ids.length === 0) return found;
    const rows: PostTarget[] =
      tx === undefined
        ? await this.posts.find<PostTarget>(byIds(ids), { projection: TARGET_PROJECTION }).toArray()
        : await tx.find<PostTarget>(this.posts, byIds(ids), TARGET_PROJECTION, ids.length);
    for (const row of rows) found.set(row._id.toHexString(), row);
    return found;
  }

  /** Returns path segment, version and visibility of a post, also of a deleted one. */
  async findVersion(id: ObjectId, tx: Transaction): Promise<PostVersion | null> {
    const [row] = await tx.find<PostVersion>(this.posts, byIds([id]), VERSION_PROJECTION, 1);
    return row === undefined ? null : { ...row, slug: `${row.slug}-${id.toHexString()}` };
  }

  /** Returns titles by hex id, as the transaction sees them. */
  async findTitles(ids: readonly ObjectId[], tx: Transaction): Promise<Map<string, string>> {
    if (ids.length === 0) return new Map();
    type Row = Pick<Post, '_id' | 'title'>;
    const rows = await tx.find<Row>(this.posts, byIds(ids), { title: 1 }, ids.length);
    return new Map(rows.map(({ _id, title }) => [_id.toHexString(), title]));
  }

  /** Returns false for a deleted, removed or unknown post. */
  async isLive(id: ObjectId): Promise<boolean> {
    const row = await this.rowReads.get(id.toHexString());
    return row?.deletedAt === null && !row.removal;
  }

  /** Returns the all-time scores of `top`, by hex id. */
  async topScoresOf(ids: readonly ObjectId[]): Promise<Map<string, number>> {
    if (ids.length === 0) return new Map();
    const fields = { stats: 1, visitors: 1 } as const;
    const rows = await this.posts
      .find<Pick<Post, '_id' | keyof typeof fields>>(byIds(ids), { projection: fields })
      .toArray();
    return new Map(rows.map((row) => [row._id.toHexString(), topScore(scoredStatsOf(row))]));
  }

  /** @throws CodedError `post_not_found` for unknown and deleted posts, and for hidden ones of others, except for moderators */
  async getReadable(id: ObjectId, viewer: Viewer | null, tx?: Transaction): Promise<PostTarget> {
    const hex = id.toHexString();
    const target = tx ? (await this.findTargets([id], tx)).get(hex) : await this.targetReads.get(hex);
    return requireVisible(target, viewer);
  }

  /** Adds differences (by hex post id) to counters in one round trip of the caller's transaction. Does not change `updatedAt`. */
  async applyStats(changes: ReadonlyMap<string, PostChanges>, tx: Transaction): Promise<void> {
    await tx.update(this.posts, statements(changes));
  }

  /**
   * As `applyStats`, for listed posts, without reading them first. Returns false if one of the posts is not listed: the caller must then
   * abort the transaction, because some counters have changed.
   */
  async applyStatsOfListed(changes: ReadonlyMap<string, PostChanges>, tx: Transaction): Promise<boolean> {
    const ofListed = statements(changes).map((statement) => ({
      ...statement,
      q: { ...statement.q, isListed: true },
      // The indexes of listed posts do not help this update.
      hint: { _id: 1 },
    }));
    return (await tx.update(this.posts, ofListed)) === changes.size;
  }

  /**
   * Returns the cards among `ids` that a list shows to the viewer, in the order of `ids`.
   * @param isShown `canSee` if the viewer has the addresses. Unlisted posts are then included. `isListedFor` omits them.
   */
  async findCards(ids: readonly ObjectId[], viewer: Viewer | null, isShown = isListedFor): Promise<PostCard[]> {
    if (ids.length === 0) return [];
    const rows = await this.readVisible<PostCardRow>(ids, { ...CARD_PROJECTION, ...VISIBILITY_FIELDS });
    return ids.flatMap((id) => {
      const row = rows.get(id.toHexString());
      return isShown(row, viewer) ? [toPostCard(row)] : [];
    });
  }

  /** Returns what other lists show of the posts that the viewer may see, by hex id. @param isShown see `findCards` */
  async findSummaries(
    ids: readonly ObjectId[],
    viewer: Viewer | null,
    isShown = canSee,
  ): Promise<Map<string, PostSummary>> {
    if (ids.length === 0) return new Map();
    const rows = await this.readVisible<PostSummaryRow>(ids, SUMMARY_PROJECTION);
    return new Map([...rows].flatMap(([id, row]) => (isShown(row, viewer) ? [[id, toPostSummary(row)]] : [])));
  }

  private readVisible<Row>(ids: readonly ObjectId[], projection: Document): Promise<Map<string, Row & PostVisibility>> {
    const keys = ids.map((id) => id.toHexString());
    return this.reads.run('card', (target) =>
      this.readMany<Row & PostVisibility & { _id: ObjectId }>(keys, projection, target),
    );
  }
}

const ALL_COUNTERS = [...POST_COUNTERS, ...VISITOR_COUNTERS];

function statements(changes: ReadonlyMap<string, PostChanges>): UpdateStatement[] {
  return statsStatements(changes, ALL_COUNTERS, (moved) => {
    const { visitorReads = 0, visitorShares = 0, visitorLikes = 0, visitorDislikes = 0, ...stats } = moved;
    const update = increment(stats) as { $inc: object };
    if (visitorReads !== 0 || visitorShares !== 0)
      Object.assign(update.$inc, { 'visitors.reads': visitorReads, 'visitors.shares': visitorShares });
    if (visitorLikes !== 0 || visitorDislikes !== 0)
      Object.assign(update.$inc, { 'visitors.likes': visitorLikes, 'visitors.dislikes': visitorDislikes });
    return update;
  });
}

function idsOf(keys: string[]): ObjectId[] {
  return keys.map((key) => ObjectId.createFromHexString(key));
}

function byHex<Row extends { _id: ObjectId }>(rows: Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row._id.toHexString(), row]));
}
