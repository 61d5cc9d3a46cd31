import { ObjectId, type Binary, type Document } from 'mongodb';
import { pairId } from '../../../src/common/pair-id.js';
import { type InteractionKind, interactionId } from '../../../src/interactions/interaction-id.js';
import { tagFollowId } from '../../../src/tags/tag-follow.schema.js';

/** the lists of `GET /v1/viewer` */
export const LISTS = ['posts', 'comments', 'collections', 'users', 'tags'] as const;

/** What an account is to a target; null: nothing. */
export type RelationState = string | null;

export type Relation = {
  /** ids of the operations that write it */
  operations: readonly string[];
  path: (target: string) => string;
  states: readonly string[];
  body?: (state: string) => object;
  /** where `GET /v1/viewer`, or another response, shows it; null: only the row is compared */
  shown: { list: (typeof LISTS)[number]; field: string } | { path: (username: string) => string; field: string } | null;
  collection: string;
  rowId: (userId: ObjectId, target: string) => Binary | ObjectId;
  /** the field of the row with the state; null: a row means the only state */
  field: string | null;
};

const YES = ['yes'] as const;
const ofInteraction = (kind: InteractionKind) => ({
  collection: 'interactions',
  rowId: (userId: ObjectId, target: string) => interactionId(userId, kind, ObjectId.createFromHexString(target)),
  field: kind === 'vote' ? 'value' : null,
});
const ofPair = (collection: string, field: string | null = null) => ({
  collection,
  rowId: (userId: ObjectId, target: string) => pairId(userId, ObjectId.createFromHexString(target)),
  field,
});
const voted = (list: 'posts' | 'comments' | 'collections', ...operations: string[]): Relation => ({
  operations,
  path: (target) => `/v1/${list}/${target}/vote`,
  states: ['like', 'like', 'dislike'],
  body: (value) => ({ value }),
  shown: { list, field: 'vote' },
  ...ofInteraction('vote'),
});

/** Writes that set or remove one row, by PUT and DELETE. A target of `users` is an account's id, which `path` gets as its name. */
export const RELATIONS = {
  post_vote: voted('posts', 'votePost', 'unvotePost'),
  comment_vote: voted('comments', 'voteComment', 'unvoteComment'),
  collection_vote: voted('collections', 'voteCollection', 'unvoteCollection'),
  save: {
    operations: ['savePost', 'unsavePost'],
    path: (target) => `/v1/posts/${target}/save`,
    states: YES,
    shown: { list: 'posts', field: 'isSaved' },
    ...ofInteraction('save'),
  },
  hide: {
    operations: ['hidePost', 'unhidePost'],
    path: (target) => `/v1/posts/${target}/hide`,
    states: YES,
    shown: { list: 'posts', field: 'isHidden' },
    ...ofInteraction('hide'),
  },
  watch: {
    operations: ['watchPost', 'unwatchPost'],
    path: (target) => `/v1/posts/${target}/watch`,
    states: ['watching', 'muted'],
    body: (level) => ({ level }),
    shown: { list: 'posts', field: 'watch' },
    ...ofPair('post_watches', 'level'),
  },
  collection_follow: {
    operations: ['followCollection', 'unfollowCollection'],
    path: (target) => `/v1/collections/${target}/follow`,
    states: YES,
    shown: { list: 'collections', field: 'isFollowing' },
    ...ofInteraction('follow'),
  },
  follow: {
    operations: ['followUser', 'unfollowUser'],
    path: (name) => `/v1/users/${name}/follow`,
    states: YES,
    shown: { list: 'users', field: 'isFollowing' },
    ...ofPair('follows'),
  },
  bell: {
    operations: ['addBell', 'removeBell'],
    path: (name) => `/v1/users/${name}/bell`,
    states: YES,
    shown: { list: 'users', field: 'hasBell' },
    ...ofPair('bells'),
  },
  block: {
    operations: ['blockUser', 'unblockUser'],
    path: (name) => `/v1/users/${name}/block`,
    states: YES,
    shown: { list: 'users', field: 'isBlocked' },
    ...ofPair('blocks'),
  },
  mute: {
    operations: ['muteUser', 'unmuteUser'],
    path: (name) => `/v1/users/${name}/mute`,
    states: YES,
    body: () => ({}),
    shown: { list: 'users', field: 'isMuted' },
    ...ofPair('mutes'),
  },
  tag: {
    operations: ['followTag', 'unfollowTag'],
    path: (target) => `/v1/tags/${target}/follow`,
    states: YES,
    shown: { list: 'tags', field: 'isFollowing' },
    collection: 'tag_follows',
    rowId: tagFollowId,
    field: null,
  },
  profile: {
    operations: ['updateProfile'],
    path: () => '/v1/users/me',
    states: ['Weaves.', 'Spins.', 'Dyes.'],
    body: (bio) => ({ bio }),
    shown: { path: (name) => `/v1/users/${name}`, field: 'bio' },
    collection: 'users',
    rowId: (userId) => userId,
    field: 'bio',
  },
  settings: {
    operations: ['updateNotificationSettings'],
    path: () => '/v1/notifications/settings',
    states: ['off', 'app'],
    body: (follow) => ({ follow }),
    shown: { path: () => '/v1/notifications/settings', field: 'follow' },
    collection: 'notification_states',
    rowId: (userId) => userId,
    field: 'settings.follow',
  },
  featured: {
    operations: ['addFeaturedPost', 'removeFeaturedPost'],
    path: (target) => `/v1/users/me/featured/${target}`,
    states: YES,
    shown: { path: (name) => `/v1/users/${name}`, field: 'featuredPostIds' },
    collection: 'users',
    rowId: (userId) => userId,
    field: 'featuredPostIds',
  },
  /** A post in the account's list. The account of the pair is the list. */
  item: {
    operations: ['putCollectionPost', 'removeCollectionPost'],
    path: () => '',
    states: YES,
    shown: null,
    ...ofPair('collection_items'),
  },
} satisfies Record<string, Relation>;
export type RelationKind = keyof typeof RELATIONS;

export function rowName(kind: RelationKind, userId: string, target: string): string {
  const { collection, rowId }: Relation = RELATIONS[kind];
  return `${collection} ${rowId(ObjectId.createFromHexString(userId), target).toString('hex')}`;
}

export function rowStateOf(kind: RelationKind, row: Document | undefined, target: string): RelationState {
  const { field }: Relation = RELATIONS[kind];
  if (row === undefined || field === null) return row === undefined ? null : 'yes';
  const value = field.split('.').reduce<unknown>((at, name) => (at as Document | undefined)?.[name], row);
  return Array.isArray(value) ? stateIn(value.map(String), target) : ((value ?? null) as RelationState);
}

/** Returns the state of a field of a response. */
export function shownStateOf(value: unknown, target: string): RelationState {
  if (Array.isArray(value)) return stateIn(value as string[], target);
  return typeof value === 'boolean' ? (value ? 'yes' : null) : ((value ?? null) as RelationState);
}

function stateIn(ids: string[], target: string): RelationState {
  return ids.includes(target) ? 'yes' : null;
}
