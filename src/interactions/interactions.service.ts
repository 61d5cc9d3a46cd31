import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model, QueryFilter } from 'mongoose';
import { Paginator } from '../platform/http/pagination/paginator.js';
import type { Page } from '../platform/http/pagination/page.js';
import { MAX_NUMBERED, type NumberedPage, skipOf } from '../platform/http/pagination/numbered-page.js';
import type { PageQuery } from '../platform/http/pagination/page.query.js';
import type { WriteRequest } from '../platform/idempotency/write-request.js';
import { type Viewer, weighsAsVisitor } from '../platform/access/viewer.js';
import { findMany } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { decodeAll, findRaw } from '../platform/mongo/raw-read.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { CollectionsService } from '../collections/collections.service.js';
import { CommentsService } from '../comments/comments.service.js';
import { FollowsService } from '../follows/follows.service.js';
import { commentNotFound } from '../comments/visibility.js';
import type { PostCard } from '../posts/card/post-card.js';
import { PostsService } from '../posts/posts.service.js';
import { canSee } from '../posts/visibility.js';
import { UsersService } from '../users/users.service.js';
import { interactionId, targetOf } from './interaction-id.js';
import type {
  CollectionFollowDto,
  FollowedCollectionDto,
  SaveDto,
  VoteDto,
  VoterDto,
  VotersQuery,
} from './dto/interaction.dto.js';
import { Interaction, INTERACTIONS, LIKED_POSTS, type TargetModel } from './interaction.schema.js';
import { MAX_VOTES_READ } from './like-range.js';
import type { VoteValue } from './vote-value.js';
import type { Transition } from './interaction-plan.js';
import { InteractionWriterService } from './interaction-writer.service.js';

const KINDS = ['vote', 'save', 'follow', 'hide'] as const;
const LISTED_FIELDS = { userId: 1, targetId: 1, seq: 1, createdAt: 1 } as const;
const LIKE_FIELDS = { userId: 1, targetModel: 1, targetId: 1, seq: 1 } as const;
export type Like = Pick<Interaction, '_id' | keyof typeof LIKE_FIELDS>;
/** The viewer's own rows for a target. */
type OwnState = { targetId: string; vote: VoteValue | null; isSaved: boolean; isFollowing: boolean; isHidden: boolean };
type VoteKey = Pick<Interaction, '_id'>;
type ListedRow = Pick<Interaction, keyof typeof LISTED_FIELDS>;

/** Votes, saves, follows of collections, and the viewer's state for many targets. */
@Injectable()
export class InteractionsService {
  constructor(
    private readonly mongo: MongoService,
    @InjectModel(Interaction.name) private readonly rows: Model<Interaction>,
    private readonly writer: InteractionWriterService,
    private readonly posts: PostsService,
    private readonly comments: CommentsService,
    private readonly collections: CollectionsService,
    private readonly follows: FollowsService,
    private readonly users: UsersService,
    private readonly paginator: Paginator,
  ) {}

  /**
   * Sets or removes (null) a vote. Accounts may vote on all content that they may read, including their own, and may remove any vote.
   * @returns the counts after this change
   * @throws CodedError `post_not_found`, `comment_not_found` or `collection_not_found`, also for targets that the viewer may not read;
   * `blocked`
   */
  async vote(
    { viewer, isDisconnected }: WriteRequest,
    targetModel: TargetModel,
    targetId: ObjectId,
    value: VoteValue | null,
  ): Promise<VoteDto> {
    const target = targetId.toHexString();
    const isVisitor = targetModel === 'Post' && weighsAsVisitor(viewer);
    const item = { kind: 'vote', userId: viewer.id, targetModel, targetId: target, value, isVisitor } as const;
    const result = await this.writer.submit(item, isDisconnected);
    if (result.kind !== 'vote') throw missingResult(item);
    return { targetId: target, value: result.value, stats: result.stats };
  }

  /** Sets, switches or removes the vote, depending on the existing vote. Atomic. @throws as `vote` */
  async toggleVote(
    { viewer, isDisconnected }: WriteRequest,
    targetModel: TargetModel,
    targetId: ObjectId,
    value: VoteValue,
  ): Promise<Transition> {
    const isVisitor = targetModel === 'Post' && weighsAsVisitor(viewer);
    const target = { userId: viewer.id, targetModel, targetId: targetId.toHexString() };
    const item = { kind: 'vote', ...target, value, isVisitor, isToggle: true } as const;
    return (await this.writer.submit(item, isDisconnected)).transition!;
  }

  /** Saves the post, or removes an existing save. Atomic. @throws as `save` */
  async toggleSave({ viewer, isDisconnected }: WriteRequest, postId: ObjectId): Promise<Transition> {
    const target = { userId: viewer.id, targetModel: 'Post', targetId: postId.toHexString() } as const;
    const item = { kind: 'save', ...target, isSaved: true, isToggle: true } as const;
    return (await this.writer.submit(item, isDisconnected)).transition!;
  }

  /** Returns the votes that are currently likes, in the transaction's snapshot. */
  async findLikes(votes: readonly { userId: ObjectId; targetId: ObjectId }[], tx: Transaction): Promise<Like[]> {
    if (votes.length === 0) return [];
    const ids = votes.map(({ userId, targetId }) => interactionId(userId, 'vote', targetId));
    return findMany(this.rows, { _id: { $in: ids }, value: 'like' }, LIKE_FIELDS, { session: tx.session });
  }

  /**
   * Saves a post or removes a save. A save can be removed even if the post is not readable.
   * @throws CodedError `post_not_found`, also for a post that the viewer may not read
   */
  async save({ viewer, isDisconnected }: WriteRequest, postId: ObjectId, isSaved: boolean): Promise<SaveDto> {
    const targetId = postId.toHexString();
    const item = { kind: 'save', userId: viewer.id, targetModel: 'Post', targetId, isSaved } as const;
    const result = await this.writer.submit(item, isDisconnected);
    if (result.kind !== 'save') throw missingResult(item);
    return { postId: targetId, isSaved, savedAt: result.savedAt };
  }

  /**
   * Follows or unfollows a collection. Unfollowing is possible even if the collection is not readable.
   * @throws CodedError `collection_not_found`, also for a collection that the viewer may not read; `blocked`
   */
  async follow(
    { viewer, isDisconnected }: WriteRequest,
    collectionId: ObjectId,
    isFollowing: boolean,
  ): Promise<CollectionFollowDto> {
    const targetId = collectionId.toHexString();
    const item = { kind: 'follow', userId: viewer.id, targetModel: 'Collection', targetId, isFollowing } as const;
    const result = await this.writer.submit(item, isDisconnected);
    if (result.kind !== 'follow') throw missingResult(item);
    return { collectionId: targetId, isFollowing: result.isFollowing, followersCount: result.followersCount };
  }

  /** Returns the viewer's vote, save, follow and hide for each target, in the given order. One read by primary key. */
  async states(viewer: Viewer, targets: string[]): Promise<OwnState[]> {
    const userId = viewer._id;
    const ids = targets.flatMap((target) => {
      const targetId = ObjectId.createFromHexString(target);
      return KINDS.map((kind) => interactionId(userId, kind, targetId));
    });
    const rows = await findMany(this.rows, { _id: { $in: ids } }, { targetId: 1, kind: 1, value: 1 });
    const held = new Map(rows.map(({ targetId, kind, value }) => [kind + targetId.toHexString(), value]));
    return targets.map((targetId) => ({
      targetId,
      vote: held.get(`vote${targetId}`) ?? null,
      isSaved: held.has(`save${targetId}`),
      isFollowing: held.has(`follow${targetId}`),
      isHidden: held.has(`hide${targetId}`),
    }));
  }

  /** Returns the posts that an account likes or saves, latest first. */
  async latestPosts(userId: ObjectId, kind: 'liked' | 'saved', limit: number): Promise<ObjectId[]> {
    const filter: QueryFilter<Interaction> = kind === 'liked' ? LIKED_POSTS : { kind: 'save' };
    const rows = await findMany(this.rows, { userId, ...filter }, { targetId: 1 }, { sort: { seq: -1 }, limit });
    return rows.map(({ targetId }) => targetId);
  }

  /** Returns the latest posts (hex) that any of these accounts likes: a merge of one index range for each. */
  async latestLikedBy(userIds: readonly ObjectId[], limit: number): Promise<string[]> {
    if (userIds.length === 0) return [];
    const filter = { userId: { $in: [...userIds] }, ...LIKED_POSTS };
    const find = { filter, projection: { _id: 0, targetId: 1 }, sort: { seq: -1 }, limit };
    const rows = decodeAll<Pick<Interaction, 'targetId'>>(await findRaw(this.mongo.db, INTERACTIONS, find));
    return rows.map(({ targetId }) => targetId.toHexString());
  }

  /**
   * Returns the ids (hex) of the posts that an account has voted on. Reads by key, without documents, and only if `votes` are not all.
   * @param votes the rows of `votesOf`
   */
  async votedAmong(userId: ObjectId, postIds: readonly string[], votes: readonly VoteKey[]): Promise<Set<string>> {
    const targetsOf = (rows: readonly VoteKey[]): Set<string> => new Set(rows.map(({ _id }) => targetOf(_id)));
    if (votes.length <= MAX_VOTES_READ || postIds.length === 0) return targetsOf(votes);
    const ids = postIds.map((id) => interactionId(userId, 'vote', ObjectId.createFromHexString(id)));
    const find = { filter: { _id: { $in: ids } }, projection: { _id: 1 }, limit: ids.length };
    return targetsOf(decodeAll(await findRaw(this.mongo.db, INTERACTIONS, find)));
  }

  /** Lists the viewer's saved posts, latest save first. Omits deleted and hidden posts. */
  saved(viewer: Viewer, query: PageQuery): Promise<Page<PostCard>> {
    return this.ownPosts('saved', { kind: 'save' }, viewer, query);
  }

  /** Returns a numbered page of the saved posts and their total, at most `MAX_NUMBERED`. Omits deleted and hidden posts. */
  async savedPage(viewer: Viewer, query: NumberedPage): Promise<{ cards: PostCard[]; total: number }> {
    const filter = { userId: viewer._id, kind: 'save' } as const;
    const options = { ...skipOf(query), sort: { seq: -1 } } as const;
    const [rows, total] = await Promise.all([
      findMany(this.rows, filter, { targetId: 1 }, options),
      this.rows.countDocuments(filter, { limit: MAX_NUMBERED }).exec(),
    ]);
    const ids = rows.map(({ targetId }) => targetId);
    return { cards: await this.posts.findCards(ids, viewer, canSee), total };
  }

  /** Lists the posts that the viewer hides from lists, latest first. Omits deleted posts, and those that their author hides. */
  hidden(viewer: Viewer, query: PageQuery): Promise<Page<PostCard>> {
    return this.ownPosts('hidden', { kind: 'hide' }, viewer, query);
  }

  /** Lists the posts that the viewer likes, latest vote first. Omits deleted and hidden posts. */
  liked(viewer: Viewer, query: PageQuery): Promise<Page<PostCard>> {
    return this.ownPosts('liked', LIKED_POSTS, viewer, query);
  }

  /**
   * Lists the collections that the viewer follows, latest first. Private collections of others appear without content, so that the viewer
   * can unfollow them.
   */
  followedCollections(viewer: Viewer, query: PageQuery): Promise<Page<FollowedCollectionDto>> {
    const filter = { userId: viewer._id, kind: 'follow' } as const;
    return this.list(`followed:${viewer.id}`, filter, query, async (rows) => {
      const visible = await this.collections.findVisible(
        rows.map(({ targetId }) => targetId),
        viewer,
      );
      return rows.map(({ targetId, createdAt }) => {
        const collectionId = targetId.toHexString();
        return { collectionId, collection: visible.get(collectionId) ?? null, since: createdAt.toISOString() };
      });
    });
  }

  /**
   * Lists the accounts that like a post or comment, latest vote first. A changed vote stays at its position. Omits deleted and
   * limited accounts.
   * @throws CodedError `post_not_found`, `comment_not_found`
   */
  async voters(
    targetModel: Exclude<TargetModel, 'Collection'>,
    targetId: ObjectId,
    viewer: Viewer | null,
    query: VotersQuery,
  ): Promise<Page<VoterDto>> {
    if (targetModel === 'Post') await this.posts.getReadable(targetId, viewer);
    else if ((await this.comments.get(targetId, viewer)).isDeleted) throw commentNotFound();
    const filter = { targetId, kind: 'vote', value: query.value } as const;
    const scope = `voters:${targetId.toHexString()}:${query.value}`;
    return this.list(scope, filter, query, (rows) => this.votersOf(rows));
  }

  /**
   * Lists the accounts that the viewer follows and that like a post, as `voters`. Looks up the vote of each followed account by its
   * key, because a post may have any number of likes, and an account follows at most 5,000.
   * @throws CodedError `post_not_found`
   */
  async followedVoters(postId: ObjectId, viewer: Viewer, query: PageQuery): Promise<Page<VoterDto>> {
    await this.posts.getReadable(postId, viewer);
    const followed = await this.follows.followingIds(viewer._id);
    const filter = { _id: { $in: followed.map((id) => interactionId(id, 'vote', postId)) }, value: 'like' } as const;
    const scope = `followed-voters:${viewer.id}:${postId.toHexString()}`;
    return this.list(scope, filter, query, (rows) => this.votersOf(rows));
  }

  /** Returns null for deleted and limited accounts. */
  private async votersOf(rows: ListedRow[]): Promise<(VoterDto | null)[]> {
    const users = await this.users.findListedAuthors(rows.map(({ userId }) => userId));
    return rows.map(({ userId, createdAt }) => {
      const user = users.get(userId.toHexString());
      return user === undefined ? null : { user, votedAt: createdAt.toISOString() };
    });
  }

  private ownPosts(
    name: string,
    kind: QueryFilter<Interaction>,
    viewer: Viewer,
    query: PageQuery,
  ): Promise<Page<PostCard>> {
    const filter = { userId: viewer._id, ...kind };
    return this.list(`${name}:${viewer.id}`, filter, query, async (rows) => {
      const ids = rows.map(({ targetId }) => targetId);
      const cards = new Map((await this.posts.findCards(ids, viewer, canSee)).map((card) => [card.id, card]));
      return ids.map((id) => cards.get(id.toHexString()) ?? null);
    });
  }

  /** Reads a page of rows, latest first, and resolves their targets. */
  private list<T>(
    scope: string,
    filter: QueryFilter<Interaction>,
    query: PageQuery,
    resolve: (rows: ListedRow[]) => Promise<(T | null)[]>,
  ): Promise<Page<T>> {
    return this.paginator.listLatest(this.rows, { filter, fields: LISTED_FIELDS, by: 'seq', query, scope, resolve });
  }
}

function missingResult({ kind }: { kind: string }): Error {
  return new Error(`a ${kind} has the result of another kind`);
}
