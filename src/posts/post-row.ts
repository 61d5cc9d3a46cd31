import type { Binary, ObjectId } from 'mongodb';
import type { ShownPicture } from '../media/shown-picture.js';
import type { SlotRanks } from './score.js';
import type { AuthorSnapshot } from '../users/author-snapshot.js';
import type { PostType } from './post-types.js';

export const POST_COUNTERS = [
  'viewsCount',
  'readsCount',
  'likesCount',
  'dislikesCount',
  'sharesCount',
  'commentsCount',
] as const;

export type PostStats = Record<(typeof POST_COUNTERS)[number], number>;

export function ofEachCounter<Value>(value: Value): Record<keyof PostStats, Value> {
  return Object.fromEntries(POST_COUNTERS.map((counter) => [counter, value])) as Record<keyof PostStats, Value>;
}

/** The part of `stats` that came from people without an account, or a verified address: it is shown, and weighs nothing in the score. */
export type VisitorStats = { reads: number; shares: number; likes?: number; dislikes?: number };

/** A document of `posts`. */
export type PostRow = {
  _id: ObjectId;
  title: string;
  slug: string;
  type: PostType;
  tags: string[];
  contentPreview: string;
  readTime: number;
  /** a path where it is a file of this server */
  thumbnailUrl: string | null;
  /** of a thumbnail that is an image of the author; absent in most */
  thumbnail?: ShownPicture | null;
  /** where the text was published first; absent, which is null, in most */
  canonicalUrl?: string | null;
  isPublic: boolean;
  isEdited: boolean;
  /** hidden, and never published; absent where an earlier version wrote the post: such a post keeps its place when it is published */
  isDraft?: boolean;
  /** takes no new comments; absent is not */
  isLocked?: boolean;
  /** whether everyone who can read the post can read its earlier versions; absent: no */
  isHistoryPublic?: boolean;
  /** true exactly while public and not deleted: the one flag every list filters by */
  isListed: boolean;
  authorId: ObjectId;
  authorSnapshot: AuthorSnapshot;
  stats: PostStats;
  /** absent, which is nothing, where an earlier version wrote the post */
  visitors?: VisitorStats;
  rank: SlotRanks;
  /** grows with every edit; the first part of the ETag */
  version: number;
  /** first publication, or the start of a draft (which its id keeps): the time in lists and ranks */
  createdAt: Date;
  contentEditedAt: Date;
  updatedAt: Date;
  deletedAt: Date | null;
};

/** A document of `post_bodies`: the Markdown, compressed once when it is written. */
export type PostBodyRow = {
  _id: ObjectId;
  codec: 'zstd';
  rawLength: number;
  bytes: Binary;
  /** the visible text, as compressed JSON; rows of earlier releases have none */
  text?: { rawLength: number; bytes: Binary };
};

export const POSTS = 'posts';
export const POST_BODIES = 'post_bodies';
