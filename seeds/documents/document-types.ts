import type { Binary, ObjectId } from 'mongodb';
import type { PostType } from '../../src/posts/post-types.js';

/** The stored shape of every document a dataset holds; the server's schemas describe the same ones. */
export interface AuthorSnapshot {
  username: string;
  fullName: string;
  profilePicture: string | null;
}

export interface UserDocument extends AuthorSnapshot {
  _id: ObjectId;
  previousUsernames: string[];
  bio: string;
  role: 'user' | 'moderator' | 'admin';
  stats: { followersCount: number; followingCount: number; postsCount: number; likesReceivedCount: number };
  likesPerPost: number;
  likesTier: number;
  featuredPostIds: ObjectId[];
  settings: { language: string };
  snapshotVersion: number;
  createdAt: Date;
  updatedAt: Date;
  deletedAt: Date | null;
}

export interface CredentialDocument {
  _id: ObjectId;
  email: string;
  passwordHash: string;
  updatedAt: Date;
}

export interface PostDocument {
  _id: ObjectId;
  title: string;
  slug: string;
  type: PostType;
  tags: string[];
  contentPreview: string;
  readTime: number;
  thumbnailUrl: string | null;
  isPublic: boolean;
  isPremium: boolean;
  isEdited: boolean;
  isListed: boolean;
  authorId: ObjectId;
  authorSnapshot: AuthorSnapshot;
  stats: {
    viewsCount: number;
    readsCount: number;
    likesCount: number;
    dislikesCount: number;
    sharesCount: number;
    commentsCount: number;
  };
  visitors: { reads: number; shares: number };
  rank: { hotA: number; hotB: number; topA: number; topB: number; winA: number; winB: number; due: Date };
  version: number;
  createdAt: Date;
  contentEditedAt: Date;
  updatedAt: Date;
  deletedAt: Date | null;
}

export interface PostBodyDocument {
  _id: ObjectId;
  codec: 'zstd';
  rawLength: number;
  bytes: Binary;
}

export interface CommentDocument {
  _id: ObjectId;
  postId: ObjectId;
  parentId: ObjectId | null;
  ancestors: ObjectId[];
  authorId: ObjectId;
  authorSnapshot: AuthorSnapshot;
  content: string;
  stats: { likesCount: number; dislikesCount: number; repliesCount: number };
  isEdited: boolean;
  isVisible: boolean;
  createdAt: Date;
  updatedAt: Date;
  deletedAt: Date | null;
}

export interface FollowDocument {
  _id: Binary;
  followerId: ObjectId;
  followingId: ObjectId;
  seq: ObjectId;
  since: Date;
}

export interface InteractionDocument {
  _id: Binary;
  userId: ObjectId;
  targetModel: 'Post' | 'Comment';
  targetId: ObjectId;
  kind: 'vote' | 'save';
  value: 'like' | 'dislike' | null;
  seq: ObjectId;
  createdAt: Date;
  updatedAt: Date;
}

export interface PostEventDayDocument {
  _id: string;
  postId: ObjectId;
  day: string;
  views: number;
  reads: number;
  shares: number;
  visitorReads: number;
  visitorShares: number;
}

export interface ScoreEpochDocument {
  _id: 'posts';
  epoch: number;
  slot: 'A' | 'B';
  scoredAt: Date;
}

/** The collections a dataset fills, and what it puts into each. */
export interface DatasetCollections {
  users: UserDocument;
  credentials: CredentialDocument;
  posts: PostDocument;
  post_bodies: PostBodyDocument;
  comments: CommentDocument;
  follows: FollowDocument;
  interactions: InteractionDocument;
  post_event_days: PostEventDayDocument;
  score_epochs: ScoreEpochDocument;
}
export type CollectionName = keyof DatasetCollections;

/** Grows whenever documents of a dataset get another shape, so that nobody takes a kept dataset of an earlier one for a new one. */
export const SHAPE = 5;

/** Stands in the collection `dataset` while and after a database is filled. */
export interface DatasetDocument {
  _id: 'seed';
  state: 'loading' | 'complete';
  profile: string;
  /** SHAPE of the code that made it */
  shape: number;
  seed: number;
  counts: Record<CollectionName, number>;
  /** The moment the dataset is seen from, which is not when it was loaded. */
  now: Date;
  seededAt: Date;
}
