import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import type { CodedError } from '../common/errors.js';
import { notOwner } from '../moderation/not-owner.js';
import type { Viewer } from '../platform/access/viewer.js';
import { findOne } from '../platform/mongo/lean-reads.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { ReceivedLikesService } from '../users/received-likes.service.js';
import { UsersService } from '../users/users.service.js';
import { BODY_FIELDS, PostBody, type PostMarkdown } from './post-body.schema.js';
import { POST_PROJECTION, type PostViewRow } from './post-view.js';
import { Post } from './post.schema.js';
import { canSee, postNotFound, type PostVisibility, VISIBILITY_FIELDS } from './visibility.js';

export type WritableRow = PostViewRow & PostVisibility & Pick<Post, 'isDraft' | 'mentions'>;
export const WRITABLE_FIELDS = { ...POST_PROJECTION, ...VISIBILITY_FIELDS, isDraft: 1, mentions: 1 } as const;

export type StoredPost = { row: WritableRow; body: PostMarkdown };
export type ListedRow = Pick<Post, '_id' | 'authorId' | 'stats'>;

/** The rows of a post for its changes, and the counters of its author, in the transactions of the changes. */
@Injectable()
export class StoredPostsService {
  constructor(
    private readonly users: UsersService,
    private readonly receivedLikes: ReceivedLikesService,
    @InjectModel(Post.name) private readonly posts: Model<Post>,
    @InjectModel(PostBody.name) private readonly bodies: Model<PostBody>,
  ) {}

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

  async getOwn(id: ObjectId, viewer: Viewer, tx?: Transaction): Promise<WritableRow> {
    const row = await this.getLive(id, tx);
    if (row.authorId.toHexString() !== viewer.id) throw accessErrorOf(row, viewer);
    return row;
  }

  async getLive(id: ObjectId, tx?: Transaction): Promise<WritableRow> {
    const row = await findOne(
      this.posts,
      { _id: id, deletedAt: null },
      WRITABLE_FIELDS,
      tx && { session: tx?.session },
    );
    if (row === null) throw postNotFound();
    return row;
  }

  async getBody(id: ObjectId, tx?: Transaction): Promise<PostMarkdown> {
    const body = await findOne(this.bodies, { _id: id }, BODY_FIELDS, tx && { session: tx?.session });
    if (body === null) throw postNotFound();
    return body;
  }
}

/** Returns the error for a viewer. A hidden post of another account does not exist, except for moderators. */
function accessErrorOf(row: PostVisibility, viewer: Viewer): CodedError {
  if (!canSee(row, viewer)) return postNotFound();
  return notOwner(viewer, 'Only the author can change this post.');
}
