import { Injectable } from '@nestjs/common';
import { FollowsService } from '../follows/follows.service.js';
import { SubscriptionsPort } from '../follows/subscriptions-port.js';
import { InteractionsService } from '../interactions/interactions.service.js';
import { NotificationsService } from '../notifications/notifications.service.js';
import { hasScope, type Viewer } from '../platform/access/viewer.js';
import { TagFollowsService } from '../tags/tag-follows.service.js';
import { toOwnUser } from '../users/user.dto.js';
import { UsersService } from '../users/users.service.js';
import type { ViewerAccountDto, ViewerDto, ViewerQuery } from './viewer.dto.js';

/** Reads the viewer's own state of other rooms, in a constant number of queries. */
@Injectable()
export class ViewerService {
  constructor(
    private readonly users: UsersService,
    private readonly interactions: InteractionsService,
    private readonly follows: FollowsService,
    private readonly subscriptions: SubscriptionsPort,
    private readonly notifications: NotificationsService,
    private readonly tagFollows: TagFollowsService,
  ) {}

  /** @throws CodedError `user_not_found` */
  async get(
    viewer: Viewer,
    { posts = [], comments = [], collections = [], users = [], tags = [] }: ViewerQuery,
  ): Promise<ViewerDto> {
    const [account, unread, states, watches, relationships, followed] = await Promise.all([
      hasScope(viewer, 'profile') ? this.account(viewer) : null,
      hasScope(viewer, 'notifications') ? this.notifications.unreadCount(viewer) : null,
      this.interactions.states(viewer, [...posts, ...comments, ...collections]),
      this.subscriptions.watchLevels(viewer, posts),
      this.follows.relationships(viewer, users),
      tags.length === 0 ? ([] as string[]) : this.tagFollows.followedTags(viewer._id),
    ]);
    return {
      account,
      unread,
      posts: states.slice(0, posts.length).map(({ targetId: postId, vote, isSaved, isHidden }) => {
        return { postId, vote, isSaved, isHidden, watch: watches.get(postId) ?? null };
      }),
      comments: states.slice(posts.length, posts.length + comments.length).map(({ targetId: commentId, vote }) => {
        return { commentId, vote };
      }),
      collections: states.slice(posts.length + comments.length).map(({ targetId: collectionId, vote, isFollowing }) => {
        return { collectionId, vote, isFollowing };
      }),
      users: relationships.map(({ id, ...relationship }) => ({ userId: id, ...relationship })),
      tags: tags.map((tag) => ({ tag, isFollowing: followed.includes(tag) })),
    };
  }

  private async account({ _id, isEmailVerified = false }: Viewer): Promise<ViewerAccountDto> {
    const user = toOwnUser(await this.users.getById(_id));
    const { id, username, fullName, profilePicture, role, standing } = user;
    return { id, username, fullName, profilePicture, role, isEmailVerified, standing };
  }
}
