import type { ObjectId } from 'mongodb';
import { MAX_CONTENT_LENGTH, MAX_DEPTH } from '../comments/comment-rules.js';
import { type Comment, COMMENTS } from '../comments/comment.schema.js';
import { cutWhole } from '../rendering/post-text.js';
import { changeOf, idOf, timeOf } from './clean.js';
import { normalizeText } from '../platform/http/validation/foreign-values.js';
import type { TargetPost, TargetUser } from './target-lookup.js';
import type { SourceRow } from './source.js';
import type { Batch, Context, Stage } from './stage.js';

/** A change within this time after the creation does not count as an edit. */
const EDITED_AFTER_MS = 1_000;
const LINKS = { postId: 1, parentId: 1, authorId: 1, content: 1 } as const;

export const COMMENTS_STAGE: Stage = {
  name: 'comments',
  collection: 'comments',
  fields: ['content', 'authorId', 'postId', 'parentId', 'createdAt', 'updatedAt'],
  plan: planComments,
};

async function planComments(rows: SourceRow[], batch: Batch, context: Context): Promise<void> {
  const { targets, now } = context;
  const threads = await Threads.around(rows, context);
  const existing = await targets.comments(rows.map(({ _id }) => _id));
  for (const row of rows) {
    const author = threads.authorOf(row);
    const post = threads.postOf(row);
    if (post === undefined) batch.skip(row, 'its post is missing');
    else if (author === undefined) batch.skip(row, 'its author is missing');
    else if (!hasText(row)) batch.skip(row, 'no text');
    else if (batch.mayWrite(row, existing.get(row._id.toHexString()))) {
      const path = threads.ancestorsOf(row);
      if (path.length === 0 && idOf(row['parentId']) !== null) batch.change(row, 'its parent is missing: at the top');
      if (path.length > MAX_DEPTH) batch.change(row, `below ${MAX_DEPTH} others: beside its parent`);
      const comment = commentOf(row, post, author, path.slice(0, MAX_DEPTH), now);
      if (comment.content.length < normalizeText(row['content']).length)
        batch.change(row, `cut to ${MAX_CONTENT_LENGTH} characters`);
      const { stats: _, isVisible: _isVisible, deletedAt: _deletedAt, ...set } = comment;
      if (existing.has(row._id.toHexString())) batch.update(COMMENTS, { q: { _id: row._id }, u: { $set: set } });
      else batch.insert(COMMENTS, comment);
      batch.markImported(row, { updatedAt: comment.updatedAt });
    }
  }
}

function hasText({ content }: SourceRow): boolean {
  return normalizeText(content) !== '';
}

function commentOf(row: SourceRow, post: TargetPost, author: TargetUser, ancestors: ObjectId[], now: Date): Comment {
  const createdAt = timeOf(row['createdAt'], row._id, now);
  const updatedAt = changeOf(row['updatedAt'], createdAt, now);
  const { username, fullName, profilePicture } = author;
  return {
    _id: row._id,
    postId: post._id,
    parentId: ancestors.at(-1) ?? null,
    ancestors,
    authorId: author._id,
    authorSnapshot: { username, fullName, profilePicture },
    content: cutWhole(normalizeText(row['content']), MAX_CONTENT_LENGTH).trimEnd(),
    mentions: [],
    stats: { likesCount: 0, dislikesCount: 0, repliesCount: 0 },
    isEdited: updatedAt.getTime() - createdAt.getTime() > EDITED_AFTER_MS,
    isVisible: true,
    createdAt,
    updatedAt,
    deletedAt: null,
  };
}

/** The comments of a batch and their ancestors, with their posts and authors. */
class Threads {
  private readonly rows = new Map<string, SourceRow>();
  private posts = new Map<string, TargetPost>();
  private authors = new Map<string, TargetUser>();

  static async around(rows: SourceRow[], { source, targets }: Context): Promise<Threads> {
    const threads = new Threads();
    for (let level = rows; level.length > 0;) {
      for (const row of level) threads.rows.set(row._id.toHexString(), row);
      const above = new Map<string, ObjectId>();
      for (const { parentId } of level) {
        const id = idOf(parentId);
        if (id !== null && !threads.rows.has(id.toHexString())) above.set(id.toHexString(), id);
      }
      level = await source.find('comments', [...above.values()], LINKS);
    }
    const all = [...threads.rows.values()];
    threads.posts = await targets.posts(all.flatMap(({ postId }) => idOf(postId) ?? []));
    threads.authors = await targets.users(all.flatMap(({ authorId }) => idOf(authorId) ?? []));
    return threads;
  }

  postOf({ postId }: SourceRow): TargetPost | undefined {
    const post = this.posts.get(String(postId));
    return post?.deletedAt === null ? post : undefined;
  }

  authorOf({ authorId }: SourceRow): TargetUser | undefined {
    const author = this.authors.get(String(authorId));
    return author?.deletedAt === null ? author : undefined;
  }

  /** Returns the ancestors, root first. In a cycle the smallest id is the root, regardless of the start. */
  ancestorsOf(row: SourceRow): ObjectId[] {
    const path: SourceRow[] = [row];
    for (let at = this.parentOf(row); at !== undefined; at = this.parentOf(at)) {
      const from = path.indexOf(at);
      if (from >= 0) {
        path.length = path.indexOf(lowestOf(path.slice(from))) + 1;
        break;
      }
      path.push(at);
    }
    return path
      .slice(1)
      .reverse()
      .map(({ _id }) => _id);
  }

  /** Returns undefined if the parent is missing, belongs to another post, or is not imported. */
  private parentOf(row: SourceRow): SourceRow | undefined {
    const parent = this.rows.get(String(row['parentId']));
    const isTaken = parent !== undefined && this.authorOf(parent) !== undefined && hasText(parent);
    return isTaken && String(parent['postId']) === String(row['postId']) ? parent : undefined;
  }
}

function lowestOf(rows: SourceRow[]): SourceRow {
  return rows.reduce((least, row) => (row._id.toHexString() < least._id.toHexString() ? row : least));
}
