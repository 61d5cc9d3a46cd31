import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { ViewerFiltersService } from '../blocks/viewer-filters.service.js';
import { BoundedMap } from '../common/bounded.js';
import type { Viewer } from '../platform/access/viewer.js';
import { isLimited } from '../users/standing.js';
import { toPublicUser } from '../users/user.dto.js';
import { UsersService } from '../users/users.service.js';
import type { SuggestedUserDto } from './dto/suggested.dto.js';
import { Follow, FOLLOWS } from './follow.schema.js';
import { FollowsService } from './follows.service.js';

const READ_FOLLOWS = 200;
const READ_OF_EACH = 50;
const MIN_FOLLOWERS = 2;
const CANDIDATES = 100;
const TTL_MS = 300_000;
/** Not in cache-manager, whose memory has no limit for values of single accounts. */
const CACHED_VIEWERS = 1_000;

type Candidate = { _id: ObjectId; count: number };

/** Suggests accounts that several of the viewer's followed accounts follow. */
@Injectable()
export class SuggestionsService {
  private readonly cached = new BoundedMap<string, { candidates: Promise<Candidate[]>; expiresAt: number }>(
    CACHED_VIEWERS,
  );

  constructor(
    @InjectModel(Follow.name) private readonly rows: Model<Follow>,
    private readonly follows: FollowsService,
    private readonly filters: ViewerFiltersService,
    private readonly users: UsersService,
  ) {}

  /** Lists accounts that at least two followed accounts follow, the most common ones first. Follows are up to five minutes old. */
  async list(viewer: Viewer, limit: number): Promise<SuggestedUserDto[]> {
    const [candidates, filter] = await Promise.all([this.candidatesOf(viewer), this.filters.of(viewer)]);
    const ids = candidates.map(({ _id }) => _id);
    const hexIds = ids.map((id) => id.toHexString());
    const [users, followed] = await Promise.all([
      this.users.findUsers(ids),
      this.follows.followedAmong(viewer._id, hexIds),
    ]);
    const counts = new Map(candidates.map(({ count }, at) => [hexIds[at]!, count]));
    return users
      .map((row) => ({ row, id: row._id.toHexString() }))
      .filter(({ row, id }) => !followed.has(id) && !filter.hidesAccount(id) && !isLimited(row.standing))
      .slice(0, limit)
      .map(({ row, id }) => ({ user: toPublicUser(row), knownFollowersCount: counts.get(id)! }));
  }

  private candidatesOf({ _id, id }: Viewer): Promise<Candidate[]> {
    const cached = this.cached.get(id);
    if (cached !== undefined && performance.now() < cached.expiresAt) return cached.candidates;
    const candidates = this.read(_id);
    this.cached.set(id, { candidates, expiresAt: performance.now() + TTL_MS });
    candidates.catch(() => this.cached.delete(id));
    return candidates;
  }

  /** Counts the latest 50 follows of each of the latest 200 followed accounts, in one round trip: at most 10,000 rows. */
  private async read(viewerId: ObjectId): Promise<Candidate[]> {
    const latest = (count: number) => [
      { $sort: { seq: -1 as const } },
      { $limit: count },
      { $project: { _id: 0, followingId: 1 } },
    ];
    const followed = await this.follows.followingIds(viewerId);
    const ofFollowed = { from: FOLLOWS, localField: 'followingId', foreignField: 'followerId', as: 'follows' };
    return this.rows
      .aggregate<Candidate>([
        { $match: { followerId: viewerId } },
        ...latest(READ_FOLLOWS),
        { $lookup: { ...ofFollowed, pipeline: latest(READ_OF_EACH) } },
        { $unwind: '$follows' },
        { $group: { _id: '$follows.followingId', count: { $sum: 1 } } },
        { $match: { _id: { $nin: [...followed, viewerId] }, count: { $gte: MIN_FOLLOWERS } } },
        { $sort: { count: -1, _id: -1 } },
        { $limit: CANDIDATES },
      ])
      .exec();
  }
}
