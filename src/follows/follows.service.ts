import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model, QueryFilter } from 'mongoose';
import { BlockLookupService } from '../blocks/block-lookup.service.js';
import { BoundedMap } from '../common/bounded.js';
import { CodedError } from '../common/errors.js';
import { pairId, pairsOf, secondOf } from '../common/pair-id.js';
import { Paginator } from '../platform/http/pagination/paginator.js';
import { type NumberedPage, skipOf } from '../platform/http/pagination/numbered-page.js';
import type { Page } from '../platform/http/pagination/page.js';
import type { PageQuery } from '../platform/http/pagination/page.query.js';
import type { WriteRequest } from '../platform/idempotency/write-request.js';
import type { Viewer } from '../platform/access/viewer.js';
import { findMany, streamBatches } from '../platform/mongo/lean-reads.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { Exported } from '../users/exported.decorator.js';
import { type ProfileDto, toProfile } from '../users/user.dto.js';
import { isLimited } from '../users/standing.js';
import { UsersService } from '../users/users.service.js';
import type { FollowDto, FollowedUserDto, FollowerDto } from './dto/follow.dto.js';
import type { FollowersQuery } from './dto/followers.query.js';
import { Follow } from './follow.schema.js';
import { FollowWriterService } from './follow-writer.service.js';
import type { RelationshipDto } from './relationship.dto.js';
import { SubscriptionsPort } from './subscriptions-port.js';

const FOLLOWED_BATCH = 200;
const REMEMBERED_NAMES = 10_000;
type Side = 'followerId' | 'followingId';

const LIST_FIELDS = { followerId: 1, followingId: 1, seq: 1, since: 1 } as const;

/** Followers and followed accounts. */
@Injectable()
export class FollowsService {
  /** never stale, because a username, also an earlier one, belongs to one account forever */
  private readonly idsByName = new BoundedMap<string, string>(REMEMBERED_NAMES);

  constructor(
    @InjectModel(Follow.name) private readonly rows: Model<Follow>,
    private readonly writer: FollowWriterService,
    private readonly users: UsersService,
    private readonly blocks: BlockLookupService,
    private readonly subscriptions: SubscriptionsPort,
    private readonly paginator: Paginator,
  ) {}

  /**
   * @returns the state and the count right after this change
   * @throws CodedError `user_not_found`, `follow_self`, `too_many_follows`, `blocked`
   */
  async follow({ viewer, isDisconnected }: WriteRequest, username: string, isFollowing: boolean): Promise<FollowDto> {
    const followingId = await this.idOf(username);
    if (followingId === viewer.id) throw new CodedError('follow_self', 'You cannot follow yourself.');
    return this.writer.submit({ followerId: viewer.id, followingId, isFollowing }, isDisconnected);
  }

  /** Inverts a follow. Concurrent calls change the state one after the other. @throws as `follow` */
  async toggle({ viewer, isDisconnected }: WriteRequest, followingId: ObjectId): Promise<FollowDto> {
    if (followingId.toHexString() === viewer.id) throw new CodedError('follow_self', 'You cannot follow yourself.');
    const item = { followerId: viewer.id, followingId: followingId.toHexString(), isFollowing: true, isToggle: true };
    return this.writer.submit(item, isDisconnected);
  }

  /**
   * Removes a follower of the viewer. The follower may follow again.
   * @throws CodedError `user_not_found`
   */
  async removeFollower({ viewer, isDisconnected }: WriteRequest, username: string): Promise<FollowerDto> {
    const followerId = await this.idOf(username);
    if (followerId === viewer.id) throw new CodedError('follow_self', 'You cannot follow yourself.');
    const item = { followerId, followingId: viewer.id, isFollowing: false, isByFollowed: true };
    const result = await this.writer.submit(item, isDisconnected);
    return { username: result.username, isFollower: result.isFollowing, followersCount: result.followersCount };
  }

  /** Returns the follows between the viewer and these accounts, and the viewer's bells, blocks and mutes, in the requested order. Reads by key. */
  async relationships(viewer: Viewer, ids: string[]): Promise<RelationshipDto[]> {
    const viewerId = viewer._id;
    const pairs = ids.map((id) => {
      const otherId = ObjectId.createFromHexString(id);
      return { id, following: pairId(viewerId, otherId), followedBy: pairId(otherId, viewerId) };
    });
    const keys = pairs.flatMap(({ following, followedBy }) => [following, followedBy]);
    const [rows, states, bells] = await Promise.all([
      findMany(this.rows, { _id: { $in: keys } }, { _id: 1 }),
      this.blocks.states(viewer, ids),
      this.subscriptions.bellsAmong(viewer, ids),
    ]);
    const held = new Set(rows.map(({ _id }) => _id.toString('hex')));
    return pairs.map(({ id, following, followedBy }, at) => ({
      id,
      isFollowing: held.has(following.toString('hex')),
      isFollowedBy: held.has(followedBy.toString('hex')),
      hasBell: bells.has(id),
      ...states[at]!,
    }));
  }

  /** Returns a cached id: the transaction checks that the account still exists. @throws CodedError `user_not_found` */
  private async idOf(username: string): Promise<string> {
    const name = username.toLowerCase();
    const known = this.idsByName.get(name);
    if (known !== undefined) return known;
    const { _id } = await this.users.getByUsername(name);
    const id = _id.toHexString();
    this.idsByName.set(name, id);
    return id;
  }

  /** Returns the ids of all accounts that the user follows, in no order: one range of the primary key, without documents. */
  async followingIds(userId: ObjectId): Promise<ObjectId[]> {
    const rows = await findMany(this.rows, { _id: pairsOf(userId) }, { _id: 1 });
    return rows.map(({ _id }) => secondOf(_id));
  }

  /** Streams all accounts that the user follows, with their current names, which are letters, digits and underscores: no quotes. */
  @Exported('follows.csv')
  async *streamFollowing(userId: ObjectId): AsyncGenerator<string, void, undefined> {
    yield 'username,since\r\n';
    const { $gte, $lte } = pairsOf(userId);
    const batches = streamBatches<Pick<Follow, '_id' | 'followingId' | 'since'>>(FOLLOWED_BATCH, (last, limit) => {
      const from = last === null ? { $gte } : { $gt: last._id };
      const options = { sort: { _id: 1 }, limit } as const;
      return findMany(this.rows, { _id: { ...from, $lte } }, { followingId: 1, since: 1 }, options);
    });
    for await (const rows of batches) {
      const users = await this.users.findUsers(rows.map(({ followingId }) => followingId));
      const names = new Map(users.map(({ _id, username }) => [_id.toHexString(), username]));
      for (const { followingId, since } of rows) {
        const username = names.get(followingId.toHexString());
        if (username !== undefined) yield `${username},${since.toISOString()}\r\n`;
      }
    }
  }

  /** Returns the authors (hex ids) that the user follows, without reading documents. */
  async followedAmong(userId: ObjectId, authorIds: readonly string[]): Promise<Set<string>> {
    const pairs = authorIds.map((id) => pairId(userId, ObjectId.createFromHexString(id)));
    const rows = await findMany(this.rows, { _id: { $in: pairs } }, { _id: 1 });
    return new Set(rows.map(({ _id }) => secondOf(_id).toHexString()));
  }

  /** Returns the follows (follower, followed) that exist in the snapshot of the transaction. */
  async findRows(
    pairs: readonly (readonly [followerId: ObjectId, followingId: ObjectId])[],
    tx: Transaction,
  ): Promise<Pick<Follow, '_id' | 'followerId' | 'followingId' | 'seq'>[]> {
    if (pairs.length === 0) return [];
    const fields = { followerId: 1, followingId: 1, seq: 1 } as const;
    const ids = pairs.map(([follower, followed]) => pairId(follower, followed));
    return findMany(this.rows, { _id: { $in: ids } }, fields, { session: tx.session });
  }

  /** Returns followers, oldest follow first. @param after `seq` of the last known follower */
  async followersAfter(
    userId: ObjectId,
    after: ObjectId | null,
    limit: number,
  ): Promise<Pick<Follow, 'followerId' | 'seq'>[]> {
    const filter = { followingId: userId, ...(after === null ? {} : { seq: { $gt: after } }) };
    return findMany(this.rows, filter, { followerId: 1, seq: 1 }, { sort: { seq: 1 }, limit });
  }

  /** @throws CodedError `user_not_found`; `unauthorized` for a visitor who requests `known` followers */
  async followers(username: string, query: FollowersQuery, viewer: Viewer | null): Promise<Page<FollowedUserDto>> {
    const user = await this.users.getByUsername(username);
    if (query.known) return this.knownFollowers(user._id, query, viewer ?? needsSignIn());
    return this.list(`followers:${user._id.toHexString()}`, { followingId: user._id }, 'followerId', query);
  }

  /** @throws CodedError `user_not_found` */
  async following(username: string, query: PageQuery): Promise<Page<FollowedUserDto>> {
    const { _id } = await this.users.getByUsername(username);
    return this.list(`following:${_id.toHexString()}`, { followerId: _id }, 'followingId', query);
  }

  /**
   * Returns a numbered page of one side, latest first, without deleted and limited accounts.
   * @throws CodedError `invalid_input` as `skipOf`
   */
  async listFrom(
    side: 'followers' | 'following',
    userId: ObjectId,
    page: NumberedPage,
  ): Promise<{ user: ProfileDto; since: Date }[]> {
    const [own, other]: [Side, Side] =
      side === 'followers' ? ['followingId', 'followerId'] : ['followerId', 'followingId'];
    const rows = await findMany(this.rows, { [own]: userId }, LIST_FIELDS, { sort: { seq: -1 }, ...skipOf(page) });
    const users = await this.users.findUsers(rows.map((row) => row[other]));
    const listed = users.filter(({ standing }) => !isLimited(standing));
    const byId = new Map(listed.map((user) => [user._id.toHexString(), toProfile(user)]));
    return rows.flatMap((row) => {
      const user = byId.get(row[other].toHexString());
      return user === undefined ? [] : [{ user, since: row.since }];
    });
  }

  /**
   * Lists the followers that the viewer follows. Looks up the follow of each by its key, because an account may have any number of
   * followers, and follows at most 5,000.
   */
  private async knownFollowers(userId: ObjectId, query: PageQuery, viewer: Viewer): Promise<Page<FollowedUserDto>> {
    const keys = (await this.followingIds(viewer._id)).map((id) => pairId(id, userId));
    const scope = `known-followers:${viewer.id}:${userId.toHexString()}`;
    return this.list(scope, { _id: { $in: keys } }, 'followerId', query);
  }

  /** Returns a page, latest first, without deleted and limited accounts. Two queries per page: the rows, and the users by id. */
  private list(
    scope: string,
    filter: QueryFilter<Follow>,
    side: Side,
    query: PageQuery,
  ): Promise<Page<FollowedUserDto>> {
    return this.paginator.listLatest(this.rows, {
      ...{ filter, fields: LIST_FIELDS, by: 'seq', query, scope },
      resolve: async (rows) => {
        const others = await this.users.findListedAuthors(rows.map((row) => row[side]));
        return rows.map((row): FollowedUserDto | null => {
          const user = others.get(row[side].toHexString());
          return user === undefined ? null : { user, since: row.since.toISOString() };
        });
      },
    });
  }
}

function needsSignIn(): never {
  throw new CodedError('unauthorized', 'Send an access token: `known=true` lists followers whom you follow.');
}
