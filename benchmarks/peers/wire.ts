import type { ObjectId } from 'mongodb';

/** Documents as the peers read them, and the JSON that every subject returns. */
export type AuthorSnapshot = { username: string; fullName: string; profilePicture: string | null };
export type PostStats = Record<
  'viewsCount' | 'readsCount' | 'likesCount' | 'dislikesCount' | 'sharesCount' | 'commentsCount',
  number
>;

export type CardRow = {
  _id: ObjectId;
  slug: string;
  type: string;
  title: string;
  subtitle: string | null;
  tags: string[];
  contentPreview: string;
  readTime: number;
  thumbnailUrl: string | null;
  isPublic: boolean;
  isEdited: boolean;
  authorId: ObjectId;
  authorSnapshot: AuthorSnapshot;
  stats: PostStats;
  createdAt: Date;
  updatedAt: Date;
};

export type CommentRow = {
  _id: ObjectId;
  postId: ObjectId;
  parentId: ObjectId | null;
  authorId: ObjectId;
  authorSnapshot: AuthorSnapshot;
  content: string;
  stats: { likesCount: number; dislikesCount: number; repliesCount: number };
  isEdited: boolean;
  createdAt: Date;
  updatedAt: Date;
  deletedAt: Date | null;
};

export type WriterRow = {
  _id: ObjectId;
  username: string;
  fullName: string;
  bio: string;
  profilePicture: string | null;
  role: string;
  stats: { followersCount: number; followingCount: number; postsCount: number; likesReceivedCount: number };
  featuredPostIds: ObjectId[];
  likesPerPost: number;
  createdAt: Date;
};

/** Fields of a card in the order of the response, also the projection of a card read. */
export const CARD_PROJECTION = {
  slug: 1,
  type: 1,
  title: 1,
  subtitle: 1,
  tags: 1,
  contentPreview: 1,
  readTime: 1,
  thumbnailUrl: 1,
  isPublic: 1,
  isEdited: 1,
  authorId: 1,
  authorSnapshot: 1,
  stats: 1,
  createdAt: 1,
  updatedAt: 1,
} as const;

export function cardJson(row: CardRow) {
  const id = String(row._id);
  return {
    id,
    slug: `${row.slug}-${id}`,
    type: row.type,
    title: row.title,
    subtitle: row.subtitle,
    tags: row.tags,
    contentPreview: row.contentPreview,
    readTime: row.readTime,
    thumbnailUrl: row.thumbnailUrl,
    // The case has no uploaded images.
    thumbnail: null,
    isPublic: row.isPublic,
    isEdited: row.isEdited,
    author: authorJson(row.authorId, row.authorSnapshot),
    stats: row.stats,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

function authorJson(id: ObjectId, author: AuthorSnapshot) {
  return {
    id: String(id),
    username: author.username,
    fullName: author.fullName,
    profilePicture: author.profilePicture,
  };
}

export function commentJson(row: CommentRow) {
  const isDeleted = row.deletedAt !== null;
  return {
    id: String(row._id),
    postId: String(row.postId),
    parentId: row.parentId ? String(row.parentId) : null,
    author: isDeleted ? null : authorJson(row.authorId, row.authorSnapshot),
    content: isDeleted ? null : row.content,
    stats: row.stats,
    isEdited: row.isEdited,
    isDeleted,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

export function writerJson(row: WriterRow) {
  return {
    id: String(row._id),
    username: row.username,
    fullName: row.fullName,
    bio: row.bio,
    profilePicture: row.profilePicture,
    role: row.role,
    stats: row.stats,
    featuredPostIds: row.featuredPostIds.map(String),
    createdAt: row.createdAt,
    likesPerPost: row.likesPerPost,
  };
}

/** Accepts `<slug>-<24 hex id>` or the bare id. */
export function postIdOf(idOrSlug: string): string {
  return idOrSlug.slice(-24);
}
