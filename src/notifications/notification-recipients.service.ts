import { Injectable } from '@nestjs/common';
import { type Collection, ObjectId } from 'mongodb';
import type { Fact, FactKind } from '../activity/activity-facts.js';
import { idAt } from '../activity/actor-range.js';
import { CollectionsService } from '../collections/collections.service.js';
import { CommentsService } from '../comments/comments.service.js';
import { isLive } from '../comments/visibility.js';
import { firstOf, pairId } from '../common/pair-id.js';
import { uniqueIds } from '../common/unique-ids.js';
import { FollowsService } from '../follows/follows.service.js';
import { InteractionsService } from '../interactions/interactions.service.js';
import { byIds } from '../platform/mongo/update-statements.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { type PostTarget, PostsService } from '../posts/posts.service.js';
import { canRead } from '../posts/visibility.js';
import { CasesService } from '../reports/cases.service.js';
import { isLimited } from '../users/standing.js';
import { UsersService } from '../users/users.service.js';
import { MentionLimitsService } from './mention-limits.service.js';
import type { NotificationKind } from './notification-kinds.js';
import { type PostWatch, PostWatchSchema } from './subscription.schema.js';

/** Maximum number of watchers that one comment notifies. Limits the size of the transaction. */
const MAX_WATCHERS = 1_000;

/**
 * A row that notifies an account.
 * @field since the id of the row, or `idAt` of its time
 * @field isWatcher `thread` notifies the watchers of a post only by their setting
 * @field isAlreadyNotified an earlier fact notified of the comment, so the entry only suppresses the notification of a mention
 */
export type NotificationEntry = {
  userId: ObjectId;
  kind: NotificationKind;
  targetId: ObjectId;
  postId: ObjectId | null;
  actorId: ObjectId;
  since: ObjectId;
  isWatcher?: boolean;
  isAlreadyNotified?: boolean;
};

/** Finds the accounts to notify of facts. A fact whose row has been deleted notifies no account. */
@Injectable()
export class NotificationRecipientsService {
  private readonly watches: Collection<PostWatch>;

  constructor(
    mongo: MongoService,
    private readonly interactions: InteractionsService,
    private readonly comments: CommentsService,
    private readonly follows: FollowsService,
    private readonly collections: CollectionsService,
    private readonly posts: PostsService,
    private readonly users: UsersService,
    private readonly cases: CasesService,
    private readonly limits: MentionLimitsService,
  ) {
    this.watches = mongo.collection(PostWatchSchema);
  }

  /** Returns entries in no particular order, also of limited accounts. Skips actions of accounts on their own content. */
  async findFor(facts: readonly Fact[], tx: Transaction): Promise<NotificationEntry[]> {
    const ofKind = (...kinds: FactKind[]): Fact[] => facts.filter(({ kind }) => kinds.includes(kind));
    const ofTexts = [
      ...(await this.ofComments(ofKind('comment', 'mention_in_comment'), tx)),
      ...(await this.ofMentions(ofKind('mention_in_post', 'mention_in_comment'), tx)),
    ];
    const entries = [
      ...(await this.ofLikes(ofKind('like'), tx)),
      ...(await this.withoutMuted(ofTexts, tx)),
      ...(await this.ofFollows(ofKind('follow'), tx)),
      ...(await this.ofItems(ofKind('item'), tx)),
    ];
    const ofOthers = entries.filter(isOfAnother);
    const ofDrafts = ofKind('draft_published', 'draft_failed').map(({ kind, actor, target }): NotificationEntry => {
      const about = { kind: kind as NotificationKind, targetId: target, postId: null };
      return { userId: actor, actorId: actor, ...about, since: new ObjectId() };
    });
    const ofActions = ofKind('moderation').map(({ actor, target }): NotificationEntry => {
      const about = { kind: 'moderation', targetId: target, postId: null } as const;
      return { userId: actor, actorId: actor, ...about, since: target };
    });
    return [...ofOthers, ...ofDrafts, ...ofActions, ...(await this.ofCases(ofKind('case'), tx))];
  }

  private async ofCases(facts: Fact[], tx: Transaction): Promise<NotificationEntry[]> {
    const notices = await this.cases.listToNotify(uniqueIds(facts.map(({ target }) => target)), tx);
    const about = { kind: 'case', postId: null } as const;
    return notices.map(({ targetId, userId }) => {
      return { userId, actorId: userId, targetId, ...about, since: new ObjectId() };
    });
  }

  private async ofLikes(facts: Fact[], tx: Transaction): Promise<NotificationEntry[]> {
    const votes = facts.map(({ actor, target }) => ({ userId: actor, targetId: target }));
    const likes = await this.interactions.findLikes(votes, tx);
    const targetsOf = (model: string): ObjectId[] =>
      uniqueIds(likes.flatMap(({ targetModel, targetId }) => (targetModel === model ? [targetId] : [])));
    const posts = await this.posts.findTargets(targetsOf('Post'), tx);
    const comments = await this.comments.findTargets(targetsOf('Comment'), tx);
    return likes.flatMap(({ userId: actorId, targetId, seq: since }): NotificationEntry[] => {
      const post = posts.get(targetId.toHexString());
      if (post !== undefined)
        return [{ userId: post.authorId, kind: 'like_post', targetId, postId: null, actorId, since }];
      const comment = comments.get(targetId.toHexString());
      if (comment === undefined) return [];
      return [{ userId: comment.authorId, kind: 'like_comment', targetId, postId: comment.postId, actorId, since }];
    });
  }

  private async ofFollows(facts: Fact[], tx: Transaction): Promise<NotificationEntry[]> {
    const rows = await this.follows.findRows(
      facts.map(({ actor, target }) => [actor, target] as const),
      tx,
    );
    return rows.map(({ followerId, followingId, seq }) => {
      const about = { kind: 'follow', targetId: followingId, postId: null } as const;
      return { userId: followingId, actorId: followerId, ...about, since: seq };
    });
  }

  private async ofItems(facts: Fact[], tx: Transaction): Promise<NotificationEntry[]> {
    const items = await this.collections.findPublicItems(
      facts.map(({ target, second }) => [second!, target] as const),
      tx,
    );
    const posts = await this.posts.findTargets(uniqueIds(items.map(({ postId }) => postId)), tx);
    return items.flatMap(({ postId: targetId, ownerId, addedAt }): NotificationEntry[] => {
      const post = posts.get(targetId.toHexString());
      if (post === undefined) return [];
      const about = { kind: 'collected', targetId, postId: null } as const;
      return [{ userId: post.authorId, actorId: ownerId, ...about, since: idAt(addedAt) }];
    });
  }

  /** A comment notifies the author and the watchers of the post. A reply notifies the author of its parent comment, and them as `thread`. */
  private async ofComments(facts: Fact[], tx: Transaction): Promise<NotificationEntry[]> {
    const rows = await this.comments.findTargets(uniqueIds(facts.map(({ target }) => target)), tx);
    const added = new Set(facts.flatMap(({ kind, target }) => (kind === 'comment' ? [target.toHexString()] : [])));
    const live = [...rows.values()].filter(isLive);
    const parents = await this.comments.findTargets(
      uniqueIds(live.flatMap(({ ancestors }) => ancestors.slice(-1))),
      tx,
    );
    const posts = await this.posts.findTargets(uniqueIds(live.map(({ postId }) => postId)), tx);
    const watchers = await this.watchersOf(
      live.map(({ postId }) => postId),
      tx,
    );
    return live.flatMap((comment): NotificationEntry[] => {
      const { _id, authorId: actorId, postId, ancestors } = comment;
      const by = { actorId, since: _id, isAlreadyNotified: !added.has(_id.toHexString()) };
      const post = posts.get(postId.toHexString());
      if (post === undefined || post.deletedAt !== null) return [];
      const about = { targetId: postId, postId: null, ...by };
      const ofWatchers = (watchers.get(postId.toHexString()) ?? []).filter((userId) => canWatch(post, userId));
      const parentId = ancestors.at(-1);
      if (parentId !== undefined) {
        const parent = parents.get(parentId.toHexString());
        const replies: NotificationEntry[] =
          isLive(parent) && canRead(post, parent.authorId)
            ? [{ userId: parent.authorId, kind: 'reply', targetId: parentId, postId, ...by }]
            : [];
        const ofThread = [
          { userId: post.authorId, kind: 'thread' as const, ...about },
          ...ofWatchers.map((userId) => ({ userId, kind: 'thread' as const, isWatcher: true, ...about })),
        ];
        return [...replies, ...ofThread.filter(({ userId }) => parent?.authorId.equals(userId) !== true)];
      }
      return [
        { userId: post.authorId, kind: 'comment', ...about },
        ...ofWatchers.map((userId) => ({ userId, kind: 'watched' as const, ...about })),
      ];
    });
  }

  /** Returns only mentions that the text still contains, of existing accounts that may read the text. */
  private async ofMentions(facts: Fact[], tx: Transaction): Promise<NotificationEntry[]> {
    const allowed = await this.limits.consume(facts, tx);
    const users = uniqueIds(allowed.map(({ second }) => second!));
    const existing = new Set((await this.users.findParts(users, ['username'], tx)).map(({ _id }) => String(_id)));
    const targetsOf = (of: FactKind): ObjectId[] =>
      uniqueIds(allowed.flatMap(({ kind, target }) => (kind === of ? [target] : [])));
    const comments = await this.comments.findTargets(targetsOf('mention_in_comment'), tx);
    const postIds = [...comments.values()].map(({ postId }) => postId);
    const posts = await this.posts.findTargets(uniqueIds([...postIds, ...targetsOf('mention_in_post')]), tx);
    return allowed.flatMap(({ kind, actor: actorId, target: targetId, second }): NotificationEntry[] => {
      const userId = second!;
      const comment = comments.get(targetId.toHexString());
      if (kind === 'mention_in_comment' && !isLive(comment)) return [];
      const post = posts.get((comment?.postId ?? targetId).toHexString());
      const { mentions = [] } = comment ?? post ?? {};
      if (!existing.has(String(userId)) || !mentions.some((id) => id.equals(userId)) || !canRead(post, userId))
        return [];
      return [{ userId, kind: 'mention', targetId, postId: comment?.postId ?? null, actorId, since: targetId }];
    });
  }

  private async watchersOf(postIds: ObjectId[], tx: Transaction): Promise<Map<string, ObjectId[]>> {
    const found = new Map<string, ObjectId[]>();
    if (postIds.length === 0) return found;
    const filter = { postId: { $in: uniqueIds(postIds) }, level: 'watching' } as const;
    for (const postId of await this.watches.distinct('postId', filter, { session: tx.session })) {
      const rows = await this.watches
        .find({ postId, level: 'watching' }, { session: tx.session, projection: { _id: 1 } })
        .limit(MAX_WATCHERS)
        .toArray();
      found.set(
        postId.toHexString(),
        rows.map(({ _id }) => firstOf(_id)),
      );
    }
    return found;
  }

  /** Removes the actions of limited accounts on other accounts. */
  async withoutLimited(entries: NotificationEntry[], tx: Transaction): Promise<NotificationEntry[]> {
    const actorIds = uniqueIds(entries.filter(isOfAnother).map(({ actorId }) => actorId));
    const actors = await this.users.findParts(actorIds, ['standing'], tx);
    const limited = new Set(actors.flatMap(({ _id, standing }) => (isLimited(standing) ? [_id.toHexString()] : [])));
    return entries.filter((entry) => !isOfAnother(entry) || !limited.has(entry.actorId.toHexString()));
  }

  /** Removes entries of posts that the account has muted: comments, replies and mentions. */
  private async withoutMuted(entries: NotificationEntry[], tx: Transaction): Promise<NotificationEntry[]> {
    const keys = entries.map(({ userId, targetId, postId }) => pairId(userId, postId ?? targetId));
    if (keys.length === 0) return [];
    const filter = { ...byIds(keys), level: 'muted' };
    const muted = await tx.find<PostWatch>(this.watches, filter, { _id: 1 }, keys.length);
    const hidden = new Set(muted.map(({ _id }) => _id.toString('hex')));
    return entries.filter((_, at) => !hidden.has(keys[at]!.toString('hex')));
  }
}

/** Excludes the author, who receives `comment` instead. */
function canWatch(post: PostTarget, userId: ObjectId): boolean {
  return canRead(post, userId) && !post.authorId.equals(userId);
}

function isOfAnother({ userId, actorId }: NotificationEntry): boolean {
  return !userId.equals(actorId);
}
