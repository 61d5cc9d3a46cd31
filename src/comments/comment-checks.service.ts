import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type ClientSession, ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import type { Removal } from '../moderation/removal.js';
import type { Viewer } from '../platform/auth/viewer.js';
import { findMany } from '../platform/mongo/lean-reads.js';
import { NewcomerLimits } from '../rules/newcomer-limits.service.js';
import { TextChecks } from '../rules/text-checks.service.js';
import type { Verdict } from '../rules/verdict.js';
import { Comment } from './comment.schema.js';

/** The checks of a comment before it is stored: limits of new accounts, and rules for texts. */
@Injectable()
export class CommentChecks {
  constructor(
    private readonly texts: TextChecks,
    private readonly newcomers: NewcomerLimits,
    @InjectModel(Comment.name) private readonly comments: Model<Comment>,
  ) {}

  /** @throws CodedError `newcomer_limit` */
  requireCapacity(author: Viewer): Promise<void> {
    return this.newcomers.requireCapacity(author, 'comments', async (since, limit) => {
      const _id = { $gt: ObjectId.createFromTime(Math.floor(since.getTime() / 1_000)) };
      const filter = { authorId: ObjectId.createFromHexString(author.id), _id };
      const rows = await findMany(this.comments, filter, { createdAt: 1 }, { sort: { _id: -1 }, limit });
      return rows.map(({ createdAt }) => createdAt);
    });
  }

  /** @param targetId absent for a new comment @throws CodedError `newcomer_content`, `content_rejected` */
  check(author: Viewer, content: string, targetId?: ObjectId): Promise<Verdict | null> {
    const texts = [{ field: 'content', text: content }];
    this.newcomers.requirePlain(author, texts);
    const authorId = ObjectId.createFromHexString(author.id);
    return this.texts.check({ scope: 'comment', authorId, ...(targetId && { targetId }) }, texts);
  }

  /** Applies the verdict in the transaction that stores the comment. @returns as TextChecks.apply */
  apply(
    verdict: Verdict,
    { _id: targetId, authorId }: Pick<Comment, '_id' | 'authorId'>,
    session: ClientSession,
  ): Promise<Removal | null> {
    return this.texts.apply(verdict, { scope: 'comment', authorId, targetId }, session);
  }
}
