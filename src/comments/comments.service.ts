import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId, type ClientSession } from 'mongodb';
import type { Model } from 'mongoose';
import type { IsGone } from '../common/client-gone.js';
import { CursorCodec } from '../common/cursor.js';
import { CodedError } from '../common/errors.js';
import { ResponseCache } from '../platform/cache/response-cache.js';
import { SerialisedPage } from '../platform/http/pagination/serialised-page.js';
import { hasRole, type Viewer } from '../platform/access/viewer.js';
import type { AnswerKey } from '../platform/idempotency/idempotency.service.js';
import { OutboxPasses } from '../platform/outbox/outbox-passes.js';
import { byIds, statsStatements } from '../platform/mongo/batch-commands.js';
import { findMany, findOne, streamMany } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { findRaw, type RawDocuments } from '../platform/mongo/raw-read.js';
import { PostsService } from '../posts/posts.service.js';
import { FirstCommentsLoader, FEW_COMMENTS } from './first-comments-loader.js';
import { CommentRemover } from './comment-remover.service.js';
import { COMMENT_MODEL, COMMENT_PAGES, type CommentRow, COMMENTS, type CommentStats } from './comment.schema.js';
import { commentsJson } from './comment-json.js';
import { COMMENT_PROJECTION, type CommentJson, type CommentViewRow, tagsOf, toComment } from './comment-view.js';
import { CommentWriter } from './comment-writer.service.js';
import type { CommentsQuery } from './dto/comments.query.js';
import { commentNotFound, isLive } from './visibility.js';

/** What other rooms need to know of a comment to decide about it inside their own transaction. */
export type CommentTarget = Pick<CommentRow, '_id' | 'postId' | 'authorId' | 'deletedAt' | 'isVisible' | 'stats'>;

type ReadableComment = CommentViewRow & Pick<CommentRow, 'ancestors' | 'isVisible'>;

const TARGET_PROJECTION = { postId: 1, authorId: 1, deletedAt: 1, isVisible: 1, stats: 1 } as const;
const COUNTERS = ['likesCount', 'dislikesCount', 'repliesCount'] as const;

/** Comments and replies. Every public method opens with its access check: comments of a post that may not be read are not found. */
@Injectable()
export class CommentsService {
  private readonly firstPages: FirstCommentsLoader;

  constructor(
    private readonly mongo: MongoService,
    private readonly posts: PostsService,
    private readonly writer: CommentWriter,
    private readonly remover: CommentRemover,
    private readonly passes: OutboxPasses,
    private readonly cache: ResponseCache,
    private readonly cursors: CursorCodec,
    @InjectModel(COMMENT_MODEL) private readonly comments: Model<CommentRow>,
  ) {
    this.firstPages = new FirstCommentsLoader(() => mongo.db);
  }

  /** Top-level comments, tombstones among them. @throws CodedError `post_not_found` */
  async list(postId: ObjectId, viewer: Viewer | null, query: CommentsQuery): Promise<SerialisedPage> {
    const { stats } = await this.posts.getReadable(postId, viewer);
    const isFirst = query.sort === 'newest' && query.cursor === undefined;
    if (!isFirst || stats.commentsCount > FEW_COMMENTS) return this.page(postId, null, query);
    return this.pageOf(await this.firstPages.read(postId), scopeOf(postId, query), query.limit);
  }

  /** Direct replies, tombstones among them. @throws CodedError `comment_not_found` */
  async replies(id: ObjectId, viewer: Viewer | null, query: CommentsQuery): Promise<SerialisedPage> {
    const { postId } = await this.getReadable(id, viewer);
    return this.page(postId, id, query);
  }

  /** @throws CodedError `comment_not_found` */
  async get(id: ObjectId, viewer: Viewer | null): Promise<CommentJson> {
    return toComment(await this.getReadable(id, viewer));
  }

  /**
   * The answer is stored under `key` in the transaction of the comment.
   * @throws CodedError `post_not_found`, `comment_not_found`, `parent_mismatch`, `comment_too_deep`
   */
  async create(
    viewer: Viewer,
    postId: ObjectId,
    draft: { content: string; parentId?: string | null },
    { key, isGone }: { key?: AnswerKey | undefined; isGone: IsGone },
  ): Promise<CommentJson> {
    const { content, parentId = null } = draft;
    const item = { authorId: viewer.id, postId: postId.toHexString(), parentId, content, key };
    const comment = await this.writer.submit(item, isGone);
    // before the answer, whichever process committed it
    this.cache.drop(tagsOf([comment]));
    return comment;
  }

  /** Its author alone may. @throws CodedError `comment_not_found`, `forbidden` */
  async edit(id: ObjectId, viewer: Viewer, content: string): Promise<CommentJson> {
    const row = await this.getLive(id, viewer);
    if (row.authorId.toHexString() !== viewer.id)
      throw new CodedError('forbidden', 'Only its author may edit a comment.');
    if (row.content === content) return toComment(row);
    const change = { $set: { content, isEdited: true, updatedAt: new Date() } };
    const options = { projection: COMMENT_PROJECTION, returnDocument: 'after', runValidators: true } as const;
    return this.mongo.transaction(async (session) => {
      const edited = await this.comments
        .findOneAndUpdate({ _id: id, deletedAt: null }, change, { ...options, session })
        .lean<CommentViewRow | null>()
        .exec();
      if (edited === null) throw commentNotFound();
      await this.cache.invalidateOnCommit(tagsOf([row]), session);
      return toComment(edited);
    });
  }

  /**
   * Its author or a moderator may; a whole tree only a moderator. A second deletion finds nothing and counts nothing.
   * @throws CodedError `comment_not_found`, `forbidden`
   */
  async remove(id: ObjectId, viewer: Viewer, isTree: boolean): Promise<void> {
    const isModerator = hasRole(viewer, 'moderator');
    if (isTree && !isModerator) throw new CodedError('forbidden', 'Only moderators may delete a whole thread.');
    // a moderator may have to clean up under a deleted comment, too
    const row = isTree ? await this.getReadable(id, viewer) : await this.getLive(id, viewer);
    if (!isModerator && row.authorId.toHexString() !== viewer.id) {
      throw new CodedError('forbidden', 'Only its author or a moderator may delete a comment.');
    }
    const rest = await this.mongo.transaction(async (session) => {
      const now = await findOne(this.comments, { _id: id }, { deletedAt: 1, isVisible: 1 }, { session });
      if (now === null || !now.isVisible || (!isTree && now.deletedAt !== null)) throw commentNotFound();
      await this.cache.invalidateOnCommit(tagsOf([row]), session);
      if (isTree) return this.remover.removeTree(row, session);
      await this.remover.remove([row], session);
      return null;
    });
    if (rest !== null) await this.passes.finishForeground(rest);
    await this.cache.settled();
  }

  /** Whatever is known of these comments, deleted ones too, by hex id; inside a transaction the rows it sees. */
  async findTargets(ids: readonly ObjectId[], session?: ClientSession): Promise<Map<string, CommentTarget>> {
    const found = new Map<string, CommentTarget>();
    if (ids.length === 0) return found;
    const rows: CommentTarget[] =
      session === undefined
        ? await findMany(this.comments, byIds(ids), TARGET_PROJECTION)
        : await this.mongo.batch.find<CommentTarget>(
            this.comments.collection,
            byIds(ids),
            TARGET_PROJECTION,
            ids.length,
            session,
          );
    for (const row of rows) found.set(row._id.toHexString(), row);
    return found;
  }

  /** Adds differences to counters (hex comment id -> differences) in one round trip of the caller's transaction. */
  async applyStats(changes: ReadonlyMap<string, Partial<CommentStats>>, session: ClientSession): Promise<void> {
    await this.mongo.batch.update(this.comments.collection, statsStatements(changes, COUNTERS), session);
  }

  /** For the cleanup: the ids of a removed comment and of all that is hidden below it. */
  async *streamRemoved(commentId: ObjectId): AsyncIterable<ObjectId> {
    yield commentId;
    const below = streamMany(this.comments, { ancestors: commentId, isVisible: false }, { _id: 1 });
    for await (const { _id } of below) yield _id;
  }

  /** For the cleanup: the ids of all comments of a post, deleted ones too. */
  async *streamOfPost(postId: ObjectId): AsyncIterable<ObjectId> {
    for await (const { _id } of streamMany(this.comments, { postId }, { _id: 1 })) yield _id;
  }

  private async page(postId: ObjectId, parentId: ObjectId | null, query: CommentsQuery): Promise<SerialisedPage> {
    const scope = scopeOf(parentId ?? postId, query);
    const isNewest = query.sort === 'newest';
    const range =
      query.cursor === undefined
        ? {}
        : { _id: { [isNewest ? '$lt' : '$gt']: new ObjectId(this.cursors.decode(scope, query.cursor).id) } };
    const found = await findRaw(this.mongo.db, COMMENTS, {
      filter: { postId, parentId, isVisible: true, ...range },
      projection: COMMENT_PROJECTION,
      sort: { _id: isNewest ? -1 : 1 },
      // with a cursor the planner may take the primary key for a good range, and read other posts' comments
      hint: COMMENT_PAGES,
      limit: query.limit + 1,
    });
    return this.pageOf(found, scope, query.limit);
  }

  private pageOf(found: RawDocuments, scope: string, limit: number): SerialisedPage {
    const { json, lastId } = commentsJson(found, limit);
    const hasMore = found.offsets.length > limit;
    return SerialisedPage.of(json, hasMore ? this.cursors.encode(scope, { epoch: 0, value: 0, id: lastId }) : null);
  }

  /** Visible, its tombstone included, on a post the viewer may read. */
  private async getReadable(id: ObjectId, viewer: Viewer | null): Promise<ReadableComment> {
    const projection = { ...COMMENT_PROJECTION, ancestors: 1, isVisible: 1 } as const;
    const row = await findOne(this.comments, { _id: id, isVisible: true }, projection);
    if (row === null) throw commentNotFound();
    await this.posts.getReadable(row.postId, viewer).catch((error: unknown) => {
      throw error instanceof CodedError && error.code === 'post_not_found' ? commentNotFound() : error;
    });
    // the rest of a tree that is being removed in batches is hidden by its root
    const hiding = { _id: { $in: row.ancestors }, isVisible: false };
    if (row.ancestors.length > 0 && (await findOne(this.comments, hiding, { _id: 1 })) !== null) {
      throw commentNotFound();
    }
    return row;
  }

  private async getLive(id: ObjectId, viewer: Viewer): Promise<ReadableComment> {
    const row = await this.getReadable(id, viewer);
    if (!isLive(row)) throw commentNotFound();
    return row;
  }
}

/** What a cursor of these comments is signed for. */
function scopeOf(parentId: ObjectId, { sort }: CommentsQuery): string {
  return `comments:${parentId.toHexString()}:${sort}`;
}
