import { Injectable } from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import { StandingsService } from '../auth/standings.service.js';
import { CollectionRemovalsService } from '../collections/collection-removals.service.js';
import { CollectionsService } from '../collections/collections.service.js';
import { NoteRemovalsService } from '../collections/note-removals.service.js';
import { collectionNotFound } from '../collections/visibility.js';
import { CommentRemovalsService } from '../comments/comment-removals.service.js';
import { CommentsService } from '../comments/comments.service.js';
import { commentNotFound } from '../comments/visibility.js';
import { CodedError } from '../common/errors.js';
import { MediaModerationService } from '../media/media-moderation.service.js';
import { PostRemovalsService } from '../posts/post-removals.service.js';
import { PostLocksService } from '../posts/post-locks.service.js';
import { PostsService } from '../posts/posts.service.js';
import { postNotFound } from '../posts/visibility.js';
import { type ProfileField, ProfileRemovalsService } from '../users/profile-removals.service.js';
import { isLimited, removingAction, type Standing, standingAt } from '../users/standing.js';
import { UsersService } from '../users/users.service.js';
import { type ActKind, type ActTarget, LEVELS } from './action-rules.js';
import type { Transaction } from '../platform/mongo/transaction.js';

export type Effect = {
  /** of the action */
  _id: ObjectId;
  kind: ActKind;
  targetKind: ActTarget;
  targetId: ObjectId;
  ownerId: ObjectId;
  publicReason: string;
  until: Date | null;
  hidesContent?: boolean | undefined;
  removesContent?: boolean;
  bansNetwork?: boolean;
  /** the action whose effect this one ends */
  reverses?: ObjectId | null;
  fields?: readonly ProfileField[] | undefined;
  postIds?: readonly string[] | undefined;
};

/** @field hidesContent undefined: yes, but as before for a suspension */
type StandingChange = Omit<Standing, 'hidesContent'> & { hidesContent?: boolean | undefined };

/** What actions change on content and accounts, in the transaction of the action. */
@Injectable()
export class ActionEffectsService {
  constructor(
    private readonly posts: PostsService,
    private readonly locks: PostLocksService,
    private readonly postRemovals: PostRemovalsService,
    private readonly comments: CommentsService,
    private readonly commentRemovals: CommentRemovalsService,
    private readonly collections: CollectionsService,
    private readonly collectionRemovals: CollectionRemovalsService,
    private readonly notes: NoteRemovalsService,
    private readonly profiles: ProfileRemovalsService,
    private readonly media: MediaModerationService,
    private readonly users: UsersService,
    private readonly standings: StandingsService,
  ) {}

  /** Returns the author of content, or the account itself. @throws CodedError with the not-found code of the target */
  async ownerOf(kind: ActTarget, id: ObjectId, tx: Transaction): Promise<ObjectId> {
    switch (kind) {
      case 'post': {
        const post = (await this.posts.findTargets([id], tx)).get(id.toHexString());
        if (post === undefined || post.deletedAt !== null) throw postNotFound();
        return post.authorId;
      }
      case 'comment': {
        const comment = (await this.comments.findTargets([id], tx)).get(id.toHexString());
        if (comment === undefined) throw commentNotFound();
        return comment.authorId;
      }
      case 'collection': {
        const collection = (await this.collections.findTargets([id], tx)).get(id.toHexString());
        if (collection === undefined || collection.deletedAt !== null) throw collectionNotFound();
        return collection.ownerId;
      }
      case 'note':
        return this.ownerOf('collection', id, tx);
      case 'media':
        return (await this.media.getRow(id, tx)).ownerId;
      case 'profile':
      case 'user':
        return (await this.users.getById(id, tx))._id;
    }
  }

  /**
   * @returns what exactly was removed, for the log; undefined: the target
   * @throws CodedError `already_removed`, `not_removed`, `post_locked`, `post_not_locked`, `standing_unchanged` if nothing would change, and
   * the not-found code of a deleted target
   */
  async apply(effect: Effect, tx: Transaction): Promise<string | undefined> {
    const { _id, kind, targetId, until, hidesContent } = effect;
    switch (kind) {
      case 'remove':
        return this.remove(effect, tx);
      case 'restore':
        await this.restore(effect, tx);
        break;
      case 'lock':
      case 'unlock':
        await this.locks.setLock(targetId, kind === 'lock', tx);
        break;
      case 'warn':
        break;
      case 'limit':
      case 'suspend':
      case 'ban': {
        const { removesContent, bansNetwork } = effect;
        const flags = { ...(removesContent && { removesContent }), ...(bansNetwork && { bansNetwork }) };
        const change = { level: LEVELS[kind], actionId: _id, until, hidesContent, ...flags };
        await this.setStanding(targetId, change, tx);
        break;
      }
      case 'lift':
        await this.setStanding(targetId, null, tx);
    }
    return undefined;
  }

  private async remove(effect: Effect, tx: Transaction): Promise<string | undefined> {
    const { _id: actionId, targetKind, targetId, ownerId, publicReason: reason } = effect;
    if (targetKind === 'profile') return this.profiles.moderate(targetId, { actionId, fields: effect.fields }, tx);
    if (targetKind === 'note') return this.notes.moderate(targetId, { actionId, ownerId, postIds: effect.postIds }, tx);
    await this.removalsOf(targetKind).moderate(targetId, { actionId, at: new Date(), reason }, tx);
    return undefined;
  }

  private async restore({ targetKind, targetId, reverses = null }: Effect, tx: Transaction): Promise<void> {
    if (targetKind === 'profile') await this.profiles.restore(targetId, reverses, tx);
    else if (targetKind === 'note') await this.notes.restore(targetId, reverses, tx);
    else await this.removalsOf(targetKind).restore(targetId, tx);
  }

  private removalsOf(
    kind: ActTarget,
  ): PostRemovalsService | CommentRemovalsService | CollectionRemovalsService | MediaModerationService {
    if (kind === 'media') return this.media;
    if (kind === 'collection') return this.collectionRemovals;
    return kind === 'post' ? this.postRemovals : this.commentRemovals;
  }

  private async setStanding(userId: ObjectId, change: StandingChange | null, tx: Transaction): Promise<void> {
    const [row] = await this.users.findParts([userId], ['standing'], tx);
    const current = standingAt(row?.standing, Date.now());
    const isHiding = change?.level !== 'suspended' || change.removesContent === true || isLimited(current);
    const next = change && { ...change, hidesContent: change.hidesContent ?? isHiding };
    if (isSame(current, next)) throw new CodedError('standing_unchanged', 'The account already has this standing.');
    await this.standings.set(userId, next, tx);
  }
}

function isSame(current: Standing | null, next: Standing | null): boolean {
  const effects = [current, next].map((one) =>
    JSON.stringify([
      one?.level,
      one?.until ?? null,
      isLimited(one),
      removingAction(one) !== null,
      one?.bansNetwork ?? false,
    ]),
  );
  return effects[0] === effects[1];
}
