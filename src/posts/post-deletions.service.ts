import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { REMOVED_MS } from '../moderation/removal.js';
import type { Viewer } from '../platform/access/viewer.js';
import { requireVersion } from '../platform/http/if-match.js';
import { findOne } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { UsersService } from '../users/users.service.js';
import { Post } from './post.schema.js';
import { POST_DELETED, POST_HIDDEN, POST_TRASHED } from './posts.events.js';
import { cacheTagsOf, StoredPostsService, WRITABLE_FIELDS, type WritableRow } from './stored-posts.service.js';

export type EndedPost = Pick<Post, '_id' | 'authorId' | 'isListed' | 'stats' | 'createdAt'>;

/** Deletes posts: by their author, with their author, or 30 days after their removal. */
@Injectable()
export class PostDeletionsService {
  constructor(
    private readonly mongo: MongoService,
    private readonly rows: StoredPostsService,
    private readonly users: UsersService,
    @InjectModel(Post.name) private readonly posts: Model<Post>,
  ) {}

  /**
   * Hides a post from all reads on commit. Its rows stay until the trash deletes them, those of a removed post until the cleanup. A second
   * deletion finds nothing and changes no counter.
   */
  async delete(id: ObjectId, viewer: Viewer, ifMatch?: string): Promise<void> {
    await this.mongo.serializedTransaction(viewer.id, async (tx) => {
      const found = await this.rows.getOwn(id, viewer, tx);
      requireVersion(ifMatch, found.version, 'The post');
      // A removed post cannot be published again.
      if (found.removal) await this.markDeleted([found], tx);
      else await this.trash(found, tx);
      // Runs here instead of in the cleanup, because a full profile would reject the next post until then.
      await this.users.removeFeatured(found.authorId, id, tx);
    });
  }

  private async trash(row: WritableRow, tx: Transaction): Promise<void> {
    const { _id, isListed } = row;
    await tx.runHooks(POST_TRASHED, { row, body: await this.rows.getBody(_id, tx) });
    const now = new Date();
    await this.rows.setFields(_id, { deletedAt: now, updatedAt: now, isListed: false }, tx);
    if (isListed) {
      await this.rows.countListing([row], -1, tx);
      tx.addTask(POST_HIDDEN, _id);
    }
    tx.invalidate(cacheTagsOf(row));
  }

  /** Deletes a post whose removal began REMOVED_MS ago. A later removal has a task of its own. */
  async deleteExpired(id: ObjectId, tx: Transaction): Promise<void> {
    const before = new Date(Date.now() - REMOVED_MS);
    const removed = { _id: id, deletedAt: null, 'removal.at': { $lte: before } };
    const row = await findOne(this.posts, removed, WRITABLE_FIELDS, { session: tx.session });
    if (row !== null) await this.markDeleted([row], tx);
  }

  /** Marks posts as deleted, on request or with their author. */
  async markDeleted(rows: EndedPost[], tx: Transaction): Promise<void> {
    const now = new Date();
    const marks = { deletedAt: now, updatedAt: now, isListed: false };
    await this.posts.updateMany(
      { _id: { $in: rows.map((row) => row._id) }, deletedAt: null },
      { $set: marks, $inc: { version: 1 } },
      { session: tx.session, runValidators: true },
    );
    await this.rows.countListing(
      rows.filter((row) => row.isListed),
      -1,
      tx,
    );
    tx.addTasks(
      POST_DELETED,
      rows.map((row) => row._id),
    );
    tx.invalidate(rows.flatMap(cacheTagsOf));
  }
}
