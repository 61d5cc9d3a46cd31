import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { findMany } from '../platform/mongo/lean-reads.js';
import { Comment } from './comment.schema.js';

/** A comment for the search index. */
export type CommentText = { id: string; content: string };

const INDEXABLE = { isVisible: true, deletedAt: null } as const;
const FIELDS = { content: 1 } as const;

/** Reads comments with a text for the search index, also those on hidden posts: `CommentListsService.findPublic` omits them. */
@Injectable()
export class IndexableCommentsService {
  constructor(@InjectModel(Comment.name) private readonly comments: Model<Comment>) {}

  /** Returns the comments among the ids, in no order. */
  async find(ids: readonly string[]): Promise<CommentText[]> {
    const among = { $in: ids.map((id) => ObjectId.createFromHexString(id)) };
    return (await findMany(this.comments, { _id: among, ...INDEXABLE }, FIELDS)).map(toText);
  }

  /** Returns the next comments by id; `lastId` is null at the end. */
  async after(id: string | null, limit: number): Promise<{ texts: CommentText[]; lastId: string | null }> {
    const range = id === null ? {} : { _id: { $gt: ObjectId.createFromHexString(id) } };
    const options = { sort: { _id: 1 }, hint: { _id: 1 }, limit } as const;
    const texts = (await findMany(this.comments, { ...INDEXABLE, ...range }, FIELDS, options)).map(toText);
    return { texts, lastId: texts.length < limit ? null : texts.at(-1)!.id };
  }

  /** Returns an estimate that includes deleted comments. */
  count(): Promise<number> {
    return this.comments.estimatedDocumentCount().exec();
  }
}

function toText({ _id, content }: Pick<Comment, '_id' | 'content'>): CommentText {
  return { id: _id.toHexString(), content };
}
