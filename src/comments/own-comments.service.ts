import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { findMany, streamRows } from '../platform/mongo/lean-reads.js';
import { Exported } from '../users/exported.decorator.js';
import { Comment } from './comment.schema.js';

const BATCH = 500;
const FIELDS = { postId: 1, parentId: 1, content: 1, createdAt: 1, updatedAt: 1 } as const;

const STORED_FIELDS = { ...FIELDS, deletedAt: 1, removal: 1 } as const;

type StoredComment = Pick<Comment, '_id' | keyof typeof STORED_FIELDS>;

/** All comments of one account. */
@Injectable()
export class OwnCommentsService {
  constructor(@InjectModel(Comment.name) private readonly comments: Model<Comment>) {}

  /** Streams comments newest first, without deleted ones, and with the texts of removed ones. */
  @Exported('comments.jsonl')
  async *stream(authorId: ObjectId): AsyncGenerator<object, void, undefined> {
    const rows = streamRows<StoredComment>(BATCH, (last, limit) => {
      const after = last === null ? {} : { _id: { $lt: last._id } };
      const options = { sort: { _id: -1 }, limit } as const;
      return findMany(this.comments, { authorId, ...after }, STORED_FIELDS, options);
    });
    for await (const { _id: id, deletedAt, removal, ...comment } of rows) {
      if (deletedAt === null) yield { id, ...comment };
      else if (removal !== undefined) yield { id, ...comment, content: removal.content };
    }
  }
}
