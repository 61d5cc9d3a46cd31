import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Binary, type ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import type { CodedError } from '../common/errors.js';
import { notOwner } from '../moderation/not-owner.js';
import type { Viewer } from '../platform/access/viewer.js';
import { findOne } from '../platform/mongo/lean-reads.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { type Month, monthOf } from '../platform/mongo/months.js';
import { ReceivedLikesService } from '../users/received-likes.service.js';
import { UsersService } from '../users/users.service.js';
import { type CompressedBody, compressBody } from '../rendering/body-codec.js';
import type { EncodedPost } from '../rendering/rendered-html.js';
import { htmlRow, PostHtml } from './html/post-html.schema.js';
import { BODY_FIELDS, PostBody, type PostMarkdown, storedText } from './post-body.schema.js';
import { POST_PROJECTION, type PostViewRow } from './post-view.js';
import { Post } from './post.schema.js';
import { canSee, postNotFound, type PostVisibility, VISIBILITY_FIELDS } from './visibility.js';

export type WritableRow = PostViewRow & PostVisibility & Pick<Post, 'isDraft' | 'mentions'>;
export const WRITABLE_FIELDS = { ...POST_PROJECTION, ...VISIBILITY_FIELDS, isDraft: 1, mentions: 1 } as const;

export type StoredPost = { row: WritableRow; body: PostMarkdown };
/** A post before an edit. `isTextChanged`: the edit changes the visible text or the labels. */
export type ReplacedPost = StoredPost & { isTextChanged: boolean };
export type ListedRow = Pick<Post, '_id' | 'authorId' | 'stats'>;

/** The rows of a post for its changes, and the counters of its author, in the transactions of the changes. */
@Injectable()
export class StoredPostsService {
  constructor(
    private readonly users: UsersService,
    private readonly receivedLikes: ReceivedLikesService,
    @InjectModel(Post.name) private readonly posts: Model<Post>,
    @InjectModel(PostBody.name) private readonly bodies: Model<PostBody>,
    @InjectModel(PostHtml.name) private readonly html: Model<PostHtml>,
  ) {}

  async insert(row: Post, body: PostBody, text: EncodedPost, tx: Transaction): Promise<void> {
    await this.posts.insertOne(row, { session: tx.session });
    await this.bodies.insertOne(body, { session: tx.session });
    await this.html.insertOne(htmlRow(row._id, 1, text), { session: tx.session });
  }

  /** Adds listed posts to their authors' counters, or subtracts them. */
  async countListing(rows: ListedRow[], sign: 1 | -1, tx: Transaction): Promise<void> {
    const posts = new Map<string, { postsCount: number }>();
    const likes = new Map<string, number>();
    for (const { authorId, stats } of rows) {
      const author = authorId.toHexString();
      posts.set(author, { postsCount: (posts.get(author)?.postsCount ?? 0) + sign });
      likes.set(author, (likes.get(author) ?? 0) + sign * stats.likesCount);
    }
    await this.users.applyStats(posts, tx);
    await this.receivedLikes.add(likes, tx);
  }

  async setFields(id: ObjectId, fields: Partial<Post>, tx: Transaction): Promise<void> {
    await this.posts.updateOne({ _id: id }, { $set: fields }, { session: tx.session, runValidators: true }).exec();
  }

  async getOwn(id: ObjectId, viewer: Viewer, tx?: Transaction, isDeleted = false): Promise<WritableRow> {
    const row = await this.getRow(id, isDeleted, tx);
    if (row.authorId.toHexString() !== viewer.id) throw accessErrorOf(row, viewer);
    return row;
  }

  getLive(id: ObjectId, tx?: Transaction): Promise<WritableRow> {
    return this.getRow(id, false, tx);
  }

  private async getRow(id: ObjectId, isDeleted: boolean, tx?: Transaction): Promise<WritableRow> {
    const filter = { _id: id, deletedAt: isDeleted ? { $ne: null } : null };
    const row = await findOne(this.posts, filter, WRITABLE_FIELDS, tx && { session: tx?.session });
    if (row === null) throw postNotFound();
    return row;
  }

  async getBody(id: ObjectId, tx?: Transaction): Promise<PostMarkdown> {
    const body = await findOne(this.bodies, { _id: id }, BODY_FIELDS, tx && { session: tx?.session });
    if (body === null) throw postNotFound();
    return body;
  }

  /** Replaces the text and its HTML. If the text is unchanged, only the version of the HTML changes. */
  async replaceText(
    id: ObjectId,
    version: number,
    nextVersion: number,
    content: string | undefined,
    text: EncodedPost | undefined,
    tx: Transaction,
  ): Promise<void> {
    if (content === undefined || text === undefined) {
      await this.html
        .updateOne({ _id: id, version }, { $set: { version: nextVersion } }, { session: tx.session })
        .exec();
      return;
    }
    const options = { session: tx.session, runValidators: true };
    await this.bodies.replaceOne({ _id: id }, bodyRow(id, content, text), options).exec();
    await this.html.replaceOne({ _id: id }, htmlRow(id, nextVersion, text), { ...options, upsert: true }).exec();
  }
}

export function bodyRow(id: ObjectId, content: string, { text }: { text: CompressedBody }): PostBody {
  const { codec, rawLength, bytes } = compressBody(content);
  return { _id: id, codec, rawLength, bytes: new Binary(bytes), text: storedText(text) };
}

/** Returns the error for a viewer. A hidden post of another account does not exist, except for moderators. */
function accessErrorOf(row: PostVisibility, viewer: Viewer): CodedError {
  if (!canSee(row, viewer)) return postNotFound();
  return notOwner(viewer, 'Only the author can change this post.');
}

/** Returns the cache tag of a list of the posts of a month. */
export function tagOfMonth(month: Month): string {
  return `posts:${month}`;
}

/** Returns the tags of all lists, profiles and pages that may show the post. */
export function cacheTagsOf({ _id, authorId, createdAt }: Pick<Post, '_id' | 'authorId' | 'createdAt'>): string[] {
  const [id, author] = [_id, authorId].map((key: ObjectId) => key.toHexString());
  const month = tagOfMonth(monthOf(createdAt));
  return ['feed', 'top-writers', `user:${author}`, `post:${id}`, `comments:${id}`, month];
}
