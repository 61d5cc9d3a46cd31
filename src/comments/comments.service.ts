import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model, QueryFilter } from 'mongoose';
import { type ListFilter, NO_FILTER } from '../blocks/list-filter.js';
import { ViewerFiltersService } from '../blocks/viewer-filters.service.js';
import { CursorCodec } from '../common/cursor.js';
import { CodedError } from '../common/errors.js';
import { type NumberedPage, skipOf } from '../platform/http/pagination/numbered-page.js';
import { SerializedPage } from '../platform/http/pagination/serialized-page.js';
import type { Viewer } from '../platform/access/viewer.js';
import { byIds, statsStatements } from '../platform/mongo/update-statements.js';
import { findMany, findOne, streamMany } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { findRaw, type RawDocuments } from '../platform/mongo/raw-read.js';
import { SecondaryReads } from '../platform/mongo/secondary-reads.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { type PostTarget, PostsService } from '../posts/posts.service.js';
import { canSee } from '../posts/visibility.js';
import { FirstCommentsLoader, BATCHABLE_COMMENTS } from './first-comments-loader.js';
import { Comment, COMMENT_COUNTERS, COMMENT_PAGES, COMMENTS, type CommentStats } from './comment.schema.js';
import { commentsJson, contentsOf } from './comment-json.js';
import { commentPage } from './comment-page.js';
import { CommentRendererService } from './comment-renderer.service.js';
import {
  COMMENT_PROJECTION,
  type CommentJson,
  type CommentViewRow,
  toComment,
  toReadableComment,
  toListedComment,
} from './comment-view.js';
import type { CommentsQuery } from './dto/comments.query.js';
import { commentNotFound, idsAbove, excludeBelow, excludeHiddenTrees } from './visibility.js';

/** The fields of a comment that other modules need in their transactions. */
export type CommentTarget = Pick<
  Comment,
  '_id' | 'postId' | 'authorId' | 'ancestors' | 'mentions' | 'deletedAt' | 'isVisible' | 'stats' | 'updatedAt'
>;

export type ReadableComment = CommentViewRow & Pick<Comment, 'ancestors' | 'isVisible'>;

export const READABLE_PROJECTION = { ...COMMENT_PROJECTION, ancestors: 1, isVisible: 1 } as const;
const TARGET_PROJECTION = {
  postId: 1,
  authorId: 1,
  ancestors: 1,
  mentions: 1,
  deletedAt: 1,
  isVisible: 1,
  stats: 1,
  updatedAt: 1,
} as const;

/** Reads comments and replies. The lists check access first: comments of an unreadable post are not found. */
@Injectable()
export class CommentsService {
  private readonly firstPages: FirstCommentsLoader;

  constructor(
    private readonly mongo: MongoService,
    private readonly reads: SecondaryReads,
    private readonly posts: PostsService,
    private readonly filters: ViewerFiltersService,
    private readonly renderer: CommentRendererService,
    private readonly cursors: CursorCodec,
    @InjectModel(Comment.name) private readonly comments: Model<Comment>,
  ) {
    this.firstPages = new FirstCommentsLoader(() => mongo.db, reads);
  }

  /**
   * Lists top-level comments, including tombstones and, for author and moderators, removed ones. Those of hidden accounts keep their place.
   * @throws CodedError `post_not_found`
   */
  async list(postId: ObjectId, viewer: Viewer | null, query: CommentsQuery): Promise<SerializedPage> {
    const { stats } = await this.posts.getReadable(postId, viewer);
    const isFirst = query.sort === 'newest' && query.cursor === undefined;
    if (!isFirst || stats.commentsCount > BATCHABLE_COMMENTS) return this.page(postId, null, query, viewer);
    return this.pageOf(await this.firstPages.read(postId), scopeOf(postId, query), query.limit, viewer);
  }

  /** Returns a numbered page of top-level comments, oldest first, including tombstones. @throws CodedError `post_not_found` */
  async byNumber(postId: ObjectId, viewer: Viewer | null, query: NumberedPage): Promise<CommentJson[]> {
    await this.posts.getReadable(postId, viewer);
    return this.oldest({ postId, parentId: null }, skipOf(query), viewer);
  }

  /**
   * Returns a comment and up to `limit` of its descendants, selected level by level and sorted oldest first.
   * @throws CodedError `comment_not_found`
   */
  async thread(id: ObjectId, viewer: Viewer | null, limit: number): Promise<[CommentJson, ...CommentJson[]]> {
    const row = await this.getReadable(id, viewer);
    const below: CommentJson[] = [];
    for (let parents = [id]; parents.length > 0 && below.length < limit;) {
      const under = { postId: row.postId, parentId: { $in: parents } };
      const replies = await this.oldest(under, { limit: limit - below.length }, viewer);
      below.push(...replies);
      parents = replies.filter(({ stats }) => stats.repliesCount > 0).map((reply) => new ObjectId(reply.id));
    }
    return [toReadableComment(row, viewer), ...below.sort((a, b) => (a.id < b.id ? -1 : 1))];
  }

  private async oldest(
    under: QueryFilter<Comment>,
    options: { skip?: number; limit: number },
    viewer: Viewer | null,
  ): Promise<CommentJson[]> {
    const order = { sort: { _id: 1 }, hint: COMMENT_PAGES } as const;
    const filter = { ...under, isVisible: true };
    const rows = await findMany(this.comments, filter, COMMENT_PROJECTION, { ...options, ...order });
    return rows.map((row) => toListedComment(row, viewer));
  }

  /** Lists direct replies, as `list`. @throws CodedError `comment_not_found` */
  async replies(id: ObjectId, viewer: Viewer | null, query: CommentsQuery): Promise<SerializedPage> {
    const { postId } = await this.getReadable(id, viewer);
    return this.page(postId, id, query, viewer);
  }

  /** Shows a removed comment to its author and moderators. @throws CodedError `comment_not_found` */
  async get(id: ObjectId, viewer: Viewer | null): Promise<CommentJson> {
    return toReadableComment(await this.getReadable(id, viewer), viewer);
  }

  /** Returns the comments that the viewer may read, in the order of `ids`. Three reads by key. */
  async findByIds(ids: readonly ObjectId[], viewer: Viewer | null): Promise<CommentJson[]> {
    return (await this.findReadable(ids, viewer)).map((row) => toReadableComment(row, viewer));
  }

  /** As `findByIds`, for a caller that knows which posts (hex ids) the viewer may read. Two reads by key, or one without replies. */
  async findOn(posts: ReadonlyMap<string, unknown>, ids: readonly ObjectId[]): Promise<CommentJson[]> {
    if (ids.length === 0) return [];
    const rows = await findMany(this.comments, { _id: { $in: [...ids] }, isVisible: true }, READABLE_PROJECTION);
    const shown = excludeBelow(await this.findHiddenAncestors(idsAbove(rows)), rows);
    return shown.filter(({ postId }) => posts.has(postId.toHexString())).map(toComment);
  }

  /** Returns what readers see, by Markdown, of the texts that the filter matches. Texts without markup are absent. */
  async visibleTexts(filter: ListFilter, contents: () => string[]): Promise<Map<string, string>> {
    if (filter === NO_FILTER || !filter.readsComments) return new Map();
    return this.renderer.visibleTexts(contents());
  }

  /** Returns rows instead of JSON. See `findByIds`. */
  async findReadable(
    ids: readonly ObjectId[],
    viewer: Viewer | null,
  ): Promise<(ReadableComment & Pick<Comment, 'html'>)[]> {
    const projection = { ...READABLE_PROJECTION, html: 1 } as const;
    const rows = await findMany(this.comments, { _id: { $in: [...ids] }, isVisible: true }, projection);
    const [posts, hiddenAncestors] = await Promise.all([
      this.posts.findTargets([...new Map(rows.map(({ postId }) => [postId.toHexString(), postId])).values()]),
      this.findHiddenAncestors(idsAbove(rows)),
    ]);
    const shown = new Map(
      excludeBelow(hiddenAncestors, rows)
        .filter(({ postId }) => canSee(posts.get(postId.toHexString()), viewer))
        .map((row) => [row._id.toHexString(), row]),
    );
    return ids.flatMap((id) => shown.get(id.toHexString()) ?? []);
  }

  /** Returns comments by hex id in the transaction's snapshot, including deleted ones. Comments below a hidden root are not visible. */
  async findTargets(ids: readonly ObjectId[], tx: Transaction): Promise<Map<string, CommentTarget>> {
    if (ids.length === 0) return new Map();
    const { collection } = this.comments;
    const fields = TARGET_PROJECTION;
    const rows = await tx.find<CommentTarget>(collection, byIds(ids), fields, ids.length);
    const shown = new Set(await excludeHiddenTrees(rows, tx));
    return new Map(
      rows.map((row) => [row._id.toHexString(), shown.has(row) ? row : { ...row, isVisible: false }] as const),
    );
  }

  async findPost({ postId }: Pick<Comment, 'postId'>, tx?: Transaction): Promise<PostTarget | undefined> {
    return (await this.posts.findTargets([postId], tx)).get(postId.toHexString());
  }

  /** Returns null if the row does not exist. */
  async findAuthorId(id: ObjectId): Promise<ObjectId | null> {
    return (await findOne(this.comments, { _id: id }, { authorId: 1 }))?.authorId ?? null;
  }

  /** Adds differences to counters, by hex comment id, in the caller's transaction. One round trip. */
  async applyStats(changes: ReadonlyMap<string, Partial<CommentStats>>, tx: Transaction): Promise<void> {
    await tx.update(this.comments.collection, statsStatements(changes, COMMENT_COUNTERS));
  }

  /** Streams the ids of a deleted comment and of the hidden comments below it, for the cleanup. */
  async *streamDeletedTree(commentId: ObjectId): AsyncIterable<ObjectId> {
    yield commentId;
    const below = streamMany(this.comments, { ancestors: commentId, isVisible: false }, { _id: 1 });
    for await (const { _id } of below) yield _id;
  }

  /** Streams the ids of all comments of a post, including deleted ones, for the cleanup. */
  async *streamOfPost(postId: ObjectId): AsyncIterable<ObjectId> {
    for await (const { _id } of streamMany(this.comments, { postId }, { _id: 1 })) yield _id;
  }

  private async page(
    postId: ObjectId,
    parentId: ObjectId | null,
    query: CommentsQuery,
    viewer: Viewer | null,
  ): Promise<SerializedPage> {
    const scope = scopeOf(parentId ?? postId, query);
    const after = this.cursors.decode(scope, query.cursor);
    const range = commentPage({ postId, parentId }, query.sort, after);
    const find = { ...range, projection: COMMENT_PROJECTION, limit: query.limit + 1 };
    const found = await this.reads.run('comments', (target) => findRaw(this.mongo.db, COMMENTS, find, target));
    return this.pageOf(found, scope, query.limit, viewer);
  }

  private async pageOf(
    found: RawDocuments,
    scope: string,
    limit: number,
    viewer: Viewer | null,
  ): Promise<SerializedPage> {
    const filter = await this.filters.of(viewer);
    const visible = await this.visibleTexts(filter, () => contentsOf(found, limit));
    const { json, lastId, lastLikes, removedAuthors } = commentsJson(found, limit, filter, viewer, visible);
    const hasMore = found.offsets.length > limit;
    const last = { epoch: 0, value: lastLikes, id: lastId };
    return SerializedPage.of(json, hasMore ? this.cursors.encode(scope, last) : null, removedAuthors);
  }

  /** Returns a visible comment or tombstone on a post that the viewer may read. Throws `comment_not_found` otherwise. */
  private async getReadable(id: ObjectId, viewer: Viewer | null): Promise<ReadableComment> {
    const row = await this.getVisible(id);
    await this.posts.getReadable(row.postId, viewer).catch((error: unknown) => {
      throw error instanceof CodedError && error.code === 'post_not_found' ? commentNotFound() : error;
    });
    return row;
  }

  /** Returns a visible comment or tombstone. Does not check whether the viewer may read the post. */
  async getVisible(id: ObjectId): Promise<ReadableComment> {
    const row = await findOne(this.comments, { _id: id, isVisible: true }, READABLE_PROJECTION);
    if (row === null || (await this.findHiddenAncestors(row.ancestors)).length > 0) throw commentNotFound();
    return row;
  }

  /** Returns hidden ancestors, which hide their replies while their tree is being deleted in batches. */
  async findHiddenAncestors(ancestors: readonly ObjectId[]): Promise<Pick<Comment, '_id'>[]> {
    if (ancestors.length === 0) return [];
    return findMany(this.comments, { _id: { $in: [...ancestors] }, isVisible: false }, { _id: 1 });
  }
}

export function isBy(viewer: Viewer, { authorId }: Pick<Comment, 'authorId'>): boolean {
  return authorId.toHexString() === viewer.id;
}

/** Returns the scope of the signed cursors of these comments. */
function scopeOf(parentId: ObjectId, { sort }: CommentsQuery): string {
  return `comments:${parentId.toHexString()}:${sort}`;
}
