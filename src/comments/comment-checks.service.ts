import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { CodedError } from '../common/errors.js';
import { AppConfig } from '../config/app-config.js';
import type { Removal } from '../moderation/removal.js';
import type { Viewer } from '../platform/access/viewer.js';
import { findMany } from '../platform/mongo/lean-reads.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { NewcomerLimitsService } from '../rules/newcomer-limits.service.js';
import { TextChecksService } from '../rules/text-checks.service.js';
import type { Verdict } from '../rules/verdict.js';
import { CommentRendererService } from './comment-renderer.service.js';
import { Comment } from './comment.schema.js';

/** The checks of a comment before it is stored: limits of new accounts, and rules for texts. */
@Injectable()
export class CommentChecksService {
  constructor(
    private readonly texts: TextChecksService,
    private readonly newcomers: NewcomerLimitsService,
    private readonly renderer: CommentRendererService,
    private readonly config: AppConfig,
    @InjectModel(Comment.name) private readonly comments: Model<Comment>,
  ) {}

  /** @throws CodedError `newcomer_limit` */
  requireCapacity(author: Viewer): Promise<void> {
    return this.newcomers.requireCapacity(author, 'comments', async (since, limit) => {
      const _id = { $gt: ObjectId.createFromTime(Math.floor(since.getTime() / 1_000)) };
      const filter = { authorId: author._id, _id };
      const rows = await findMany(this.comments, filter, { createdAt: 1 }, { sort: { _id: -1 }, limit });
      return rows.map(({ createdAt }) => createdAt);
    });
  }

  /**
   * @param targetId absent for a new comment
   * @returns the verdict, and the ids of the mentioned accounts @throws CodedError `invalid_input` for a text above the limit, `newcomer_content`, `content_rejected`, `overloaded`
   */
  async check(
    author: Viewer,
    content: string,
    targetId?: ObjectId,
  ): Promise<{ verdict: Verdict | null; mentions: string[] }> {
    this.requireShort(content);
    const isChecked = this.newcomers.isNewcomer(author) || (await this.texts.hasRules());
    const { mentions, shown } = await this.renderer.read(content, author.id, isChecked);
    const texts = [{ field: 'content', ...shown }];
    this.newcomers.requirePlain(author, texts);
    const authorId = author._id;
    const verdict = await this.texts.check({ scope: 'comment', authorId, ...(targetId && { targetId }) }, texts);
    return { verdict, mentions };
  }

  private requireShort(content: string): void {
    const max = this.config.comments.maxLength;
    if (content.length <= max || [...content].length <= max) return;
    const message = `must be 1 to ${max} characters`;
    throw new CodedError('invalid_input', `content: ${message}`, { fields: [{ field: 'content', message }] });
  }

  /** Applies the verdict in the transaction that stores the comment. @returns as TextChecksService.apply */
  apply(
    verdict: Verdict,
    { _id: targetId, authorId }: Pick<Comment, '_id' | 'authorId'>,
    tx: Transaction,
  ): Promise<Removal | null> {
    return this.texts.apply(verdict, { scope: 'comment', authorId, targetId }, tx);
  }
}
