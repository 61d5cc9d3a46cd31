import { ObjectId } from 'mongodb';
import { blocked, type BlockedPairs } from '../blocks/blocked-pairs.js';
import { CodedError } from '../common/errors.js';
import { canRead, postNotFound, type PostVisibility } from '../posts/visibility.js';
import type { AuthorSnapshot } from '../users/author-snapshot.js';
import { MAX_DEPTH } from './comment-rules.js';
import type { Comment } from './comment.schema.js';
import { isLive, postLocked } from './visibility.js';

export type CommentItem = {
  authorId: ObjectId;
  postId: ObjectId;
  /** null for a top-level comment */
  parentId: ObjectId | null;
  content: string;
  mentions: ObjectId[];
};

/** Existing rows by hex id. */
export type CurrentState = {
  posts: Map<string, PostVisibility & { isLocked: boolean }>;
  parents: Map<string, Pick<Comment, '_id' | 'postId' | 'authorId' | 'ancestors' | 'deletedAt' | 'isVisible'>>;
  authors: Map<string, { snapshot: AuthorSnapshot; isLimited: boolean }>;
  blocked: BlockedPairs;
};

export type CommentPlan = {
  results: (Comment | Error)[];
  inserts: Comment[];
  /** number of new direct replies by comment */
  replies: Map<string, number>;
  postStats: Map<string, { commentsCount: number }>;
};

/** Folds the items, in order, into rows and counter changes. Pure except for new ids. */
export function planComments(items: CommentItem[], state: CurrentState, now: Date): CommentPlan {
  const plan: CommentPlan = { results: [], inserts: [], replies: new Map(), postStats: new Map() };
  for (const item of items) {
    const result = newComment(item, state, now);
    plan.results.push(result);
    if (result instanceof Error) continue;
    plan.inserts.push(result);
    const postKey = result.postId.toHexString();
    plan.postStats.set(postKey, { commentsCount: (plan.postStats.get(postKey)?.commentsCount ?? 0) + 1 });
    if (result.parentId === null) continue;
    const parentKey = result.parentId.toHexString();
    plan.replies.set(parentKey, (plan.replies.get(parentKey) ?? 0) + 1);
  }
  return plan;
}

function newComment(item: CommentItem, state: CurrentState, now: Date): Comment | Error {
  const post = state.posts.get(item.postId.toHexString());
  if (!canRead(post, item.authorId)) return postNotFound();
  if (post.isLocked) return postLocked();
  const author = state.authors.get(item.authorId.toHexString());
  if (author === undefined) {
    return new CodedError('invalid_token', 'The account of this access token was deleted.');
  }
  const parent = item.parentId === null ? null : state.parents.get(item.parentId.toHexString());
  if (parent !== null && !isLive(parent)) {
    return new CodedError('comment_not_found', 'The comment of parentId was not found.');
  }
  if (parent !== null && !parent.postId.equals(item.postId)) {
    return new CodedError('parent_mismatch', 'The comment of parentId belongs to another post.', {
      fields: [{ field: 'parentId', message: 'belongs to another post' }],
    });
  }
  const reached = parent === null ? [post.authorId] : [post.authorId, parent.authorId];
  if (reached.some((id) => state.blocked.has(item.authorId, id))) return blocked();
  const ancestors = parent === null ? [] : [...parent.ancestors, parent._id];
  if (ancestors.length > MAX_DEPTH) {
    return new CodedError(
      'comment_too_deep',
      `Replies nest at most ${MAX_DEPTH} levels. Reply to a comment further up.`,
      {
        fields: [{ field: 'parentId', message: `is already ${MAX_DEPTH} replies deep` }],
      },
    );
  }
  return {
    // Pages are sorted by id only, so the timestamp of the id must equal createdAt.
    _id: new ObjectId(ObjectId.generate(Math.floor(now.getTime() / 1000))),
    postId: item.postId,
    parentId: item.parentId,
    ancestors,
    authorId: item.authorId,
    authorSnapshot: author.snapshot,
    content: item.content,
    mentions: item.mentions,
    stats: { likesCount: 0, dislikesCount: 0, repliesCount: 0 },
    isEdited: false,
    ...(author.isLimited ? { isLimited: true } : {}),
    isVisible: true,
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
  };
}
