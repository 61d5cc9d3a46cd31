import { Types } from 'mongoose';
import type { CaseAModels } from './case-a.models.js';
import { decodePeerCursor, encodePeerCursor, type ExpressStyle } from './peer.js';
import {
  type AuthorSnapshot,
  cardJson,
  type CardRow,
  commentJson,
  type CommentRow,
  postIdOf,
  writerJson,
  type WriterRow,
} from './wire.js';

type Author = Types.ObjectId | (AuthorSnapshot & { _id: Types.ObjectId });
type PostRow = Omit<CardRow, 'authorId'> & { author: Author; content?: string; hotScore: number };
type CommentDocument = Omit<CommentRow, 'authorId'> & { author: Author };
export type ListQuery = { limit: number; cursor?: string; skip: number };

const AUTHOR_FIELDS = 'username fullName profilePicture';
const CARD_FIELDS =
  'slug type title subtitle tags contentPreview readTime thumbnailUrl isPublic isEdited author authorSnapshot stats createdAt updatedAt hotScore';

/** Reads of the Express case in every style between the naive and the optimized one. */
export class ExpressReads {
  constructor(
    private readonly models: CaseAModels,
    private readonly style: ExpressStyle,
  ) {}

  async feed({ limit, cursor, skip }: ListQuery) {
    const { style } = this;
    const filter: Record<string, unknown> = { isPublic: true };
    if (style.hasKeyset && cursor !== undefined) {
      const { value, id } = decodePeerCursor(cursor);
      filter.hotScore = { $lte: value };
      filter.$or = [{ hotScore: { $lt: value } }, { _id: { $lt: new Types.ObjectId(id) } }];
    }
    // One extra row shows whether a next page exists.
    const query = this.models.Post.find(filter)
      .sort({ hotScore: -1, _id: -1 })
      .limit(limit + 1);
    if (!style.hasKeyset && skip > 0) void query.skip(skip);
    if (style.hasPreview) void query.select(CARD_FIELDS);
    if (!style.hasSnapshot) void query.populate('author', AUTHOR_FIELDS);
    const rows = (await (style.isLean ? query.lean() : query).exec()) as unknown as PostRow[];
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    return {
      data: rows.slice(0, limit).map((row) => this.postJson(row, !style.hasPreview)),
      page: { nextCursor: last && style.hasKeyset ? encodePeerCursor(last.hotScore, String(last._id)) : null },
    };
  }

  async post(idOrSlug: string) {
    const query = this.models.Post.findOne({ _id: postIdOf(idOrSlug), isPublic: true });
    if (!this.style.hasSnapshot) void query.populate('author', AUTHOR_FIELDS);
    const row = (await (this.style.isLean ? query.lean() : query).exec()) as unknown as PostRow | null;
    return (
      row && {
        ...this.postJson(row, true),
        canonicalUrl: null,
        isLocked: false,
        isHistoryPublic: false,
        visibility: 'public',
      }
    );
  }

  async comments(idOrSlug: string, { limit, cursor, skip }: ListQuery) {
    const { style } = this;
    const filter: Record<string, unknown> = { postId: postIdOf(idOrSlug), parentId: null, isVisible: true };
    if (style.hasKeyset && cursor !== undefined) filter._id = { $lt: new Types.ObjectId(decodePeerCursor(cursor).id) };
    const query = this.models.Comment.find(filter)
      .sort({ _id: -1 })
      .limit(limit + 1);
    if (!style.hasKeyset && skip > 0) void query.skip(skip);
    if (!style.hasSnapshot) void query.populate('author', AUTHOR_FIELDS);
    const rows = (await (style.isLean ? query.lean() : query).exec()) as unknown as CommentDocument[];
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    return {
      data: rows.slice(0, limit).map((row) => commentJson({ ...plain(row), ...this.authorOf(row) })),
      page: { nextCursor: last && style.hasKeyset ? encodePeerCursor(0, String(last._id)) : null },
    };
  }

  /** Runs the case's aggregation over all posts: likes per post of every author, the best first. */
  async topWriters(limit: number) {
    const best = await this.models.Post.aggregate<{ _id: Types.ObjectId; likesPerPost: number }>([
      { $match: { isPublic: true } },
      { $group: { _id: '$author', posts: { $sum: 1 }, likes: { $sum: '$stats.likesCount' } } },
      { $addFields: { likesPerPost: { $divide: ['$likes', '$posts'] } } },
      { $sort: { likesPerPost: -1, _id: -1 } },
      { $limit: limit },
    ]);
    const users = (await this.models.User.find({
      _id: { $in: best.map((row) => row._id) },
    }).lean()) as unknown as WriterRow[];
    const byId = new Map(users.map((user) => [String(user._id), user]));
    const writers = best.flatMap(({ _id, likesPerPost }) => {
      const user = byId.get(String(_id));
      return user ? [{ ...user, likesPerPost }] : [];
    });
    return { data: writers.map(writerJson) };
  }

  /** Runs the case's search: a regular expression over titles, tags and previews, and over names. */
  async search(text: string) {
    const pattern = new RegExp(text.replace(/[^\p{L}\p{N}\s]/gu, '\\$&'), 'i');
    const isPost = { $or: [{ title: pattern }, { tags: pattern }, { contentPreview: pattern }] };
    const [posts, users] = await Promise.all([
      this.models.Post.find({ isPublic: true, ...isPost })
        .select(CARD_FIELDS)
        .limit(5)
        .lean(),
      this.models.User.find({ $or: [{ username: pattern }, { fullName: pattern }] })
        .select(AUTHOR_FIELDS)
        .limit(5)
        .lean(),
    ]);
    return { data: { posts: (posts as unknown as PostRow[]).map((row) => this.postJson(row, false)), users } };
  }

  private postJson(row: PostRow, withContent: boolean) {
    const card = cardJson({ ...plain(row), ...this.authorOf(row) });
    return withContent ? { ...card, content: row.content } : card;
  }

  private authorOf({ author, authorSnapshot }: { author: Author; authorSnapshot: AuthorSnapshot }) {
    if (this.style.hasSnapshot) return { authorId: author as Types.ObjectId, authorSnapshot };
    const user = author as AuthorSnapshot & { _id: Types.ObjectId };
    return { authorId: user._id, authorSnapshot: user };
  }
}

/** `toObject` reads a hydrated document as a whole, because its fields are getters on its prototype. */
function plain<Row extends object>(row: Row): Row {
  return 'toObject' in row ? (row as { toObject(): Row }).toObject() : row;
}
