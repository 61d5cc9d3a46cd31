import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { AppConfig } from '../config/app-config.js';
import { REMOVED_MS } from '../moderation/removal.js';
import { hasRole, type Viewer } from '../platform/access/viewer.js';
import { findMany } from '../platform/mongo/lean-reads.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import type { EncodedPost } from '../rendering/rendered-html.js';
import type { Shown } from '../rendering/shown-text.js';
import { NewcomerLimitsService } from '../rules/newcomer-limits.service.js';
import type { CheckedText } from '../rules/rule-matcher.js';
import { TextChecksService } from '../rules/text-checks.service.js';
import { reviewed, type Verdict } from '../rules/verdict.js';
import { UsersService } from '../users/users.service.js';
import type { PostDraft } from './post-draft.js';
import { Post, type PostRemoval } from './post.schema.js';
import { POST_REMOVAL_EXPIRED } from './posts.events.js';
import { LABELS, type StoredLabels } from './stored-labels.js';
import { ownPosts, visibilityOf } from './visibility.js';

type CheckedPost = Pick<Post, '_id' | 'authorId' | 'isPublic' | 'isUnlisted'>;

/** The checks of a post before it is stored: limits of new accounts, rules for texts, and the review of first posts. */
@Injectable()
export class PostChecksService {
  private readonly reviewedPosts: number;

  constructor(
    private readonly texts: TextChecksService,
    private readonly newcomers: NewcomerLimitsService,
    private readonly users: UsersService,
    @InjectModel(Post.name) private readonly posts: Model<Post>,
    config: AppConfig,
  ) {
    this.reviewedPosts = config.newcomers.reviewedPosts;
  }

  /** @throws CodedError `newcomer_limit` */
  requireCapacity(author: Viewer): Promise<void> {
    return this.newcomers.requireCapacity(author, 'posts', async (since, limit) => {
      const filter = { ...ownPosts(author._id), createdAt: { $gt: since } };
      const rows = await findMany(this.posts, filter, { createdAt: 1 }, { sort: { createdAt: -1, _id: -1 }, limit });
      return rows.map(({ createdAt }) => createdAt);
    });
  }

  /** A new account could publish any number of posts with times in the past. @throws CodedError `newcomer_limit` */
  requireMayBackdate(author: Viewer): void {
    this.newcomers.requireNoNewcomer(author, 'A new account publishes no posts with times in the past.');
  }

  /** @param text rendered from the content @throws CodedError `newcomer_content` */
  requirePlain(author: Viewer, draft: Partial<PostDraft>, text: EncodedPost | undefined): void {
    const otherImages = [
      ...(text?.hasOtherImages === true ? ['content'] : []),
      ...(draft.thumbnailUrl?.startsWith('https://') ? ['thumbnailUrl'] : []),
    ];
    this.newcomers.requirePlain(author, textsOf(draft, text?.shown), otherImages);
  }

  /** Checks the texts of a post that others can read. @param shown its rendered content @throws CodedError `content_rejected`, `overloaded` */
  check(
    { _id: targetId, authorId }: Pick<Post, '_id' | 'authorId'>,
    labels: Partial<StoredLabels>,
    shown: Shown | undefined,
  ): Promise<Verdict | null> {
    return this.texts.check({ scope: 'post', authorId, targetId }, textsOf(labels, shown));
  }

  /**
   * Applies the verdict in the transaction that stores the post.
   * @param post with the visibility that its author wants
   * @param isEntering the post becomes readable by others
   * @returns the removal to store with a private post; null if the post is not held
   */
  async hold(
    post: CheckedPost,
    verdict: Verdict | null,
    isEntering: boolean,
    tx: Transaction,
  ): Promise<PostRemoval | null> {
    const { _id: targetId, authorId } = post;
    const isFirst = isEntering && (await this.isReviewed(authorId, tx));
    const demanded = isFirst ? reviewed(verdict) : verdict;
    const removal = demanded && (await this.texts.apply(demanded, { scope: 'post', authorId, targetId }, tx));
    if (removal === null) return null;
    tx.addTask(POST_REMOVAL_EXPIRED, targetId, {
      runAt: new Date(removal.at.getTime() + REMOVED_MS),
    });
    return { ...removal, visibility: visibilityOf(post) };
  }

  private async isReviewed(authorId: ObjectId, tx: Transaction): Promise<boolean> {
    if (this.reviewedPosts === 0) return false;
    const [author] = await this.users.findParts([authorId], ['role', 'stats'], tx);
    if (author === undefined || hasRole(author, 'moderator')) return false;
    return author.stats.postsCount < this.reviewedPosts;
  }
}

/** Returns the given texts that readers see. */
function textsOf(labels: Partial<StoredLabels>, shown?: Shown): CheckedText[] {
  const texts = LABELS.flatMap((field) => {
    const text = field === 'type' ? null : [labels[field] ?? []].flat().join('\n');
    return text ? [{ field, text, isUrl: field.endsWith('Url') }] : [];
  });
  return shown === undefined ? texts : [...texts, { field: 'content', ...shown }];
}
