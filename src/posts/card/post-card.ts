import { type AuthorJson, toAuthor } from '../../users/author-snapshot.js';
import type { PostRow, PostStats } from '../post-row.js';
import type { PostType } from '../post-types.js';

/** The fields of a post that a list reads; everything in CARD_PROJECTION and nothing else. */
export type PostCardRow = Pick<
  PostRow,
  | '_id'
  | 'title'
  | 'slug'
  | 'type'
  | 'tags'
  | 'contentPreview'
  | 'readTime'
  | 'thumbnailUrl'
  | 'isPublic'
  | 'isPremium'
  | 'isEdited'
  | 'authorId'
  | 'authorSnapshot'
  | 'stats'
  | 'createdAt'
  | 'updatedAt'
>;

export const CARD_PROJECTION = {
  title: 1,
  slug: 1,
  type: 1,
  tags: 1,
  contentPreview: 1,
  readTime: 1,
  thumbnailUrl: 1,
  isPublic: 1,
  isPremium: 1,
  isEdited: 1,
  authorId: 1,
  authorSnapshot: 1,
  stats: 1,
  createdAt: 1,
  updatedAt: 1,
} as const;

/** A post as lists show it. */
export type PostCard = {
  id: string;
  slug: string;
  type: PostType;
  title: string;
  tags: string[];
  contentPreview: string;
  readTime: number;
  thumbnailUrl: string | null;
  isPublic: boolean;
  isPremium: boolean;
  isEdited: boolean;
  author: AuthorJson;
  stats: PostStats;
  createdAt: string;
  updatedAt: string;
};

/** `<slug>-<id>`: the address people see; the id alone decides. */
function slugOf(row: Pick<PostRow, '_id' | 'slug'>): string {
  return `${row.slug}-${row._id.toHexString()}`;
}

export function toPostCard(row: PostCardRow): PostCard {
  const { stats } = row;
  return {
    id: row._id.toHexString(),
    slug: slugOf(row),
    type: row.type,
    title: row.title,
    tags: row.tags,
    contentPreview: row.contentPreview,
    readTime: row.readTime,
    thumbnailUrl: row.thumbnailUrl,
    isPublic: row.isPublic,
    isPremium: row.isPremium,
    isEdited: row.isEdited,
    author: toAuthor(row.authorId, row.authorSnapshot),
    stats: {
      viewsCount: stats.viewsCount,
      readsCount: stats.readsCount,
      likesCount: stats.likesCount,
      dislikesCount: stats.dislikesCount,
      sharesCount: stats.sharesCount,
      commentsCount: stats.commentsCount,
    },
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
