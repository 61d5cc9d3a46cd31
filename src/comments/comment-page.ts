import { type Document, ObjectId } from 'mongodb';
import type { CursorPosition } from '../common/cursor.js';
import { beyond } from '../common/keyset.js';
import { COMMENT_PAGES, TOP_COMMENT_PAGES } from './comment.schema.js';
import type { CommentSort } from './dto/comments.query.js';

/** Returns a page of visible comments under one parent: filter, order and index. */
export function commentPage(
  under: { postId: ObjectId; parentId: ObjectId | null },
  sort: CommentSort,
  after: CursorPosition | null,
): { filter: Document; sort: Record<string, 1 | -1>; hint: Record<string, 1 | -1> } {
  const filter = { ...under, isVisible: true };
  const id = after === null ? null : ObjectId.createFromHexString(after.id);
  if (sort === 'top') {
    const order = { 'stats.likesCount': -1, _id: -1 } as const;
    if (after === null) return { filter, sort: order, hint: TOP_COMMENT_PAGES };
    const { value: likes } = after;
    const range = beyond(filter, 'stats.likesCount', '$lt', {
      value: likes,
      id,
      same: { $gte: likes, $lt: likes + 1 },
    });
    return { filter: range, sort: order, hint: TOP_COMMENT_PAGES };
  }
  const isNewest = sort === 'newest';
  const range = id === null ? {} : { _id: { [isNewest ? '$lt' : '$gt']: id } };
  // Without the hint, the planner might follow a cursor along the primary key and scan comments of other posts.
  return { filter: { ...filter, ...range }, sort: { _id: isNewest ? -1 : 1 }, hint: COMMENT_PAGES };
}
