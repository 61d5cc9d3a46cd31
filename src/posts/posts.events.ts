import type { ObjectId } from 'mongodb';
import type { Topic } from '../common/topic.js';
import type { ReplacedPost, StoredPost } from './stored-posts.service.js';

/** A post has entered lists: published, or shown again. */
export const POST_LISTED: Topic<ObjectId> = { name: 'post.listed' };

/** A post was published with a time in the past. Lists contain the post, but no account is notified. */
export const POST_BACKDATED: Topic<ObjectId> = { name: 'post.backdated' };

/** A post left all lists, and may return: hidden, removed, or in the trash. */
export const POST_HIDDEN: Topic<ObjectId> = { name: 'post.hidden' };

/** A post was removed by a moderator 30 days ago. */
export const POST_REMOVAL_EXPIRED: Topic<ObjectId> = { name: 'post.removal-expired' };

/** A post was deleted and left the trash: subscribers delete its rows, comments and interactions. */
export const POST_DELETED: Topic<ObjectId> = { name: 'post.deleted' };

/** Hook: an author or a moderator changes a post. */
export const POST_EDITED: Topic<ReplacedPost> = { name: 'post.edited' };

/** Hook: an author deletes a post, which no moderator has removed. */
export const POST_TRASHED: Topic<StoredPost> = { name: 'post.trashed' };
