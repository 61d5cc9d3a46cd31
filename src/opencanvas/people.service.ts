import { Injectable } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { CredentialsService } from '../auth/credentials.service.js';
import { SessionsService } from '../auth/sessions.service.js';
import { CollectionListsService } from '../collections/collection-lists.service.js';
import { CodedError } from '../common/errors.js';
import { FollowsService } from '../follows/follows.service.js';
import type { NumberedPage } from '../platform/http/pagination/numbered-page.js';
import type { Viewer } from '../platform/access/viewer.js';
import { PostListsService } from '../posts/post-lists.service.js';
import { PostsService } from '../posts/posts.service.js';
import { ProfileService } from '../users/profile.service.js';
import { toOwnUser, toProfile } from '../users/user.dto.js';
import { UsersService } from '../users/users.service.js';
import { toListedUser, toOpenCanvasProfile, toOpenCanvasUser, toProfileChanges } from './opencanvas-user.js';
import type { UpdateUser } from './people.dto.js';

const NEWEST_POSTS = 6;
const TOP_WRITERS = 5;
const MAX_COLLECTIONS = 100;

/** Accounts with the fields of OpenCanvas. */
@Injectable()
export class PeopleService {
  constructor(
    private readonly users: UsersService,
    private readonly profiles: ProfileService,
    private readonly credentials: CredentialsService,
    private readonly sessions: SessionsService,
    private readonly follows: FollowsService,
    private readonly posts: PostsService,
    private readonly lists: PostListsService,
    private readonly collections: CollectionListsService,
  ) {}

  /** Returns a profile with the ids of its newest posts, which the client needs. @throws CodedError `user_not_found` */
  async profile(username: string, viewer: Viewer | null) {
    const row = await this.users.getProfile(username);
    const [featured, newest, relationships] = await Promise.all([
      this.posts.findCards(row.featuredPostIds, null),
      this.lists.listByAuthor(row.username, { limit: NEWEST_POSTS }),
      viewer === null ? [] : this.follows.relationships(viewer, [row._id.toHexString()]),
    ]);
    const user = { ...toOpenCanvasProfile(toProfile(row), featured), posts: newest.data.map(({ id }) => id) };
    return { user, isFollowing: relationships[0]?.isFollowing === true };
  }

  async byIds(ids: readonly string[]) {
    const rows = await this.users.findUsers(ids.map((id) => new ObjectId(id)));
    return rows.map(toProfile).map((profile) => ({ ...toListedUser(profile), stats: profile.stats }));
  }

  async topWriters() {
    const rows = await this.users.top(TOP_WRITERS);
    return rows.map((row) => {
      const profile = toProfile(row);
      return { ...toListedUser(profile), stats: profile.stats, likesPerPost: row.likesPerPost };
    });
  }

  /** Returns the account of the viewer. @throws CodedError `user_not_found` */
  async own(viewer: Viewer) {
    const userId = viewer._id;
    const [row, credential, sessions, collections] = await Promise.all([
      this.users.getById(userId),
      this.credentials.findById(userId),
      this.sessions.list(userId),
      this.collections.listMine(viewer, { limit: MAX_COLLECTIONS }),
    ]);
    if (credential === null) throw new CodedError('user_not_found', 'The account was deleted.');
    return toOpenCanvasUser(toOwnUser(row), {
      email: credential.email,
      featured: await this.posts.findCards(row.featuredPostIds, viewer),
      collectionIds: collections.data.map(({ id }) => id),
      sessions,
      notifications: row.settings.notifications,
    });
  }

  /** @throws as `ProfileService.update` */
  async update(viewer: Viewer, body: UpdateUser) {
    await this.profiles.update(viewer._id, toProfileChanges(body));
    return this.own(viewer);
  }

  /**
   * Returns one page of followers or followed accounts, with the total count.
   * @throws CodedError `user_not_found`, `invalid_input`
   */
  async followsOf(side: 'followers' | 'following', userId: ObjectId, page: NumberedPage) {
    const { stats } = await this.users.getById(userId);
    const listed = await this.follows.listFrom(side, userId, page);
    const total = side === 'followers' ? stats.followersCount : stats.followingCount;
    return { data: listed.map(({ user, since }) => ({ ...toListedUser(user), since })), total };
  }
}
