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

/** The part of `stats` from visitors and unverified accounts, which is shown, but does not count in the score. */
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
  /** a path for a file of this server */
  thumbnailUrl: string | null;
  /** of a thumbnail that is an image of the author; absent in most posts */
  thumbnail?: ShownPicture | null;
  /** the URL of the first publication elsewhere; absent means null */
  canonicalUrl?: string | null;
  isPublic: boolean;
  isEdited: boolean;
  /** hidden and never published; absent in posts of earlier releases, which keep their place when they are published */
  isDraft?: boolean;
  /** refuses new comments; absent: false */
  isLocked?: boolean;
  /** whether everyone who can read the post can read its earlier versions; absent: no */
  isHistoryPublic?: boolean;
  /** true while public and not deleted: the flag by which every list filters */
  isListed: boolean;
  authorId: ObjectId;
  authorSnapshot: AuthorSnapshot;
  stats: PostStats;
  /** absent in posts of earlier releases: zero */
  visitors?: VisitorStats;
  rank: SlotRanks;
  /** increments with every edit; the first part of the ETag */
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
