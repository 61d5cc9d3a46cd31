import { type Db, ObjectId } from 'mongodb';

/** The request of a hot read. */
export type HotRoute = { url: string; isSignedIn?: boolean };

/** The rows that the routes request, each among many others, so that a bad plan is visible. */
export type Subjects = {
  userId: string;
  username: string;
  postId: string;
  commentId: string;
  collectionId: string;
  seriesPostId: string;
  tag: string;
  type: string;
};

/** for an empty database */
const UNKNOWN_ID = new ObjectId().toHexString();

export async function chooseSubjects(db: Db): Promise<Subjects> {
  const [user, post, comment, collection, series] = await Promise.all([
    db
      .collection('users')
      .findOne({ deletedAt: null, 'stats.postsCount': { $gt: 0 } }, { sort: { likesTier: -1, _id: -1 } }),
    db
      .collection('posts')
      .findOne({ isListed: true, 'tags.0': { $exists: true } }, { hint: { 'rank.hotA': -1, _id: -1 } }),
    db.collection('comments').findOne({ isVisible: true }),
    db
      .collection('collections')
      .findOne({ isListed: true }, { hint: { isListed: 1, topScore: -1, _id: -1 }, sort: { topScore: -1, _id: -1 } }),
    db.collection('post_series').findOne({}),
  ]);
  return {
    userId: user?._id.toHexString() ?? UNKNOWN_ID,
    username: (user?.['username'] as string | undefined) ?? 'unknown',
    postId: post?._id.toHexString() ?? UNKNOWN_ID,
    commentId: comment?._id.toHexString() ?? UNKNOWN_ID,
    collectionId: collection?._id.toHexString() ?? UNKNOWN_ID,
    seriesPostId: series?._id.toHexString() ?? UNKNOWN_ID,
    tag: (post?.['tags'] as string[] | undefined)?.[0] ?? 'none',
    type: (post?.['type'] as string | undefined) ?? 'article',
  };
}

/** Returns every read that many clients send, or that any client may send for any post. Add new lists here. */
export function hotRoutes(subjects: Subjects): HotRoute[] {
  const { userId, username, postId, commentId, collectionId, seriesPostId, tag, type } = subjects;
  const filters = [
    '',
    `&type=${type}`,
    `&tag=${encodeURIComponent(tag)}`,
    `&tag=${encodeURIComponent(tag)}&type=${type}`,
    `&author=${username}`,
  ];
  const sorts = ['sort=hot', 'sort=latest', 'sort=top&window=all', 'sort=top&window=week'];
  return [
    ...sorts.flatMap((sort) => filters.map((filter) => ({ url: `/v1/feed?${sort}${filter}` }))),
    { url: '/v1/feeds/latest.atom' },
    { url: `/v1/users/${username}/feed.atom` },
    { url: `/v1/tags/${encodeURIComponent(tag)}/feed.atom` },
    { url: `/v1/collections/${collectionId}/feed.atom` },
    { url: '/v1/feed/following', isSignedIn: true },
    { url: `/v1/posts/${postId}` },
    { url: `/v1/posts/${postId}/content` },
    { url: `/v1/posts/${postId}/html` },
    { url: `/v1/posts/${postId}/meta` },
    { url: `/v1/shared-drafts/${'0'.repeat(43)}` },
    { url: `/p/${postId}` },
    { url: '/sitemap.xml' },
    { url: '/sitemaps/tags.xml' },
    { url: `/v1/posts?ids=${postId}` },
    { url: '/v1/posts/mine', isSignedIn: true },
    { url: '/v1/drafts', isSignedIn: true },
    { url: '/v1/drafts?state=trashed', isSignedIn: true },
    { url: '/v1/media/mine', isSignedIn: true },
    { url: `/v1/media/files/${UNKNOWN_ID}-${'0'.repeat(16)}.jpg` },
    { url: `/v1/users/${username}/posts` },
    { url: `/v1/users/${username}/featured` },
    { url: `/v1/posts/${postId}/comments` },
    { url: `/v1/posts/${postId}/comments?sort=top` },
    { url: `/v1/comments/${commentId}` },
    { url: `/v1/comments?ids=${commentId}` },
    { url: `/v1/comments/html?ids=${commentId}` },
    { url: `/v1/comments/${commentId}/replies` },
    { url: `/v1/comments/${commentId}/replies?sort=top` },
    { url: '/v1/search?q=the' },
    { url: '/v1/search/suggest?q=the' },
    { url: '/v1/users/top' },
    { url: `/v1/users/${username}` },
    { url: `/v1/users?ids=${userId}` },
    { url: `/v1/users/${username}/followers` },
    { url: `/v1/users/${username}/following` },
    { url: `/v1/interactions?targets=${postId},${commentId}`, isSignedIn: true },
    { url: `/v1/posts/${postId}/votes` },
    { url: `/v1/comments/${commentId}/votes` },
    { url: `/v1/viewer?posts=${postId}&users=${userId}`, isSignedIn: true },
    ...['', '?kind=comment', '?unread=true'].map((query) => ({ url: `/v1/notifications${query}`, isSignedIn: true })),
    { url: '/v1/notifications/unread-count', isSignedIn: true },
    { url: '/v1/notifications/settings', isSignedIn: true },
    { url: '/v1/users/me/saved', isSignedIn: true },
    { url: '/v1/users/me/hidden', isSignedIn: true },
    { url: '/v1/users/me/liked', isSignedIn: true },
    { url: '/v1/users/me/followed-collections', isSignedIn: true },
    { url: `/v1/users/me/relationships?ids=${userId}`, isSignedIn: true },
    { url: '/v1/users/me/blocks', isSignedIn: true },
    { url: '/v1/users/me/mutes', isSignedIn: true },
    { url: '/v1/users/me/filters', isSignedIn: true },
    { url: '/v1/users/me/bells', isSignedIn: true },
    { url: '/v1/users/me/watches', isSignedIn: true },
    { url: '/v1/users/me/moderation', isSignedIn: true },
    ...['', '?sort=top', `?tag=${encodeURIComponent(tag)}`, `?sort=top&tag=${encodeURIComponent(tag)}`].map(
      (query) => ({
        url: `/v1/collections${query}`,
      }),
    ),
    { url: `/v1/collections/${collectionId}` },
    { url: `/v1/collections/${collectionId}/posts` },
    { url: `/v1/users/${username}/collections` },
    { url: `/v1/users/me/collections?contains=${postId}`, isSignedIn: true },
    { url: `/v1/posts/${seriesPostId}/series` },
    { url: '/v1/auth/me', isSignedIn: true },
    { url: '/v1/auth/identities', isSignedIn: true },
    { url: '/v1/auth/passkeys', isSignedIn: true },
    { url: '/v1/auth/totp', isSignedIn: true },
    { url: '/v1/auth/sessions', isSignedIn: true },
    { url: '/v1/auth/tokens', isSignedIn: true },
  ];
}
