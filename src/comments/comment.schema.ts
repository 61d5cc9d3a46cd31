import type { AuthorSnapshot } from '../users/author-snapshot.js';
import type { ObjectId } from 'mongodb';
import { Schema } from 'mongoose';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import { declareValidator } from '../platform/mongo/collection-validator.js';

export const COMMENTS = 'comments';
/** the name of the model */
export const COMMENT_MODEL = 'Comment';

export const MAX_CONTENT_LENGTH = 1_000;
/** the maximum of ancestors; a reply below is refused */
export const MAX_DEPTH = 30;

export const COMMENT_COUNTERS = ['likesCount', 'dislikesCount', 'repliesCount'] as const;
export type CommentStats = Record<(typeof COMMENT_COUNTERS)[number], number>;

/** Rendered from the Markdown by the first read. @field of `updatedAt` of the text */
export type CommentHtml = { renderer: number; of: Date; text: string };

/** A stored comment; it stays as a tombstone while it has visible replies. */
export type CommentRow = {
  /** its timestamp is createdAt */
  _id: ObjectId;
  postId: ObjectId;
  parentId: ObjectId | null;
  /** root first */
  ancestors: ObjectId[];
  authorId: ObjectId;
  authorSnapshot: AuthorSnapshot;
  /** empty once deleted */
  content: string;
  html?: CommentHtml;
  /** repliesCount: visible direct replies, tombstones included */
  stats: CommentStats;
  isEdited: boolean;
  /** false once deleted without visible replies */
  isVisible: boolean;
  createdAt: Date;
  updatedAt: Date;
  deletedAt: Date | null;
};

/** the indexes of both lists of comments: by time, by likes */
export const COMMENT_PAGES = { postId: 1, parentId: 1, _id: -1 } as const;
export const TOP_COMMENT_PAGES = { postId: 1, parentId: 1, 'stats.likesCount': -1, _id: -1 } as const;

const counter = { type: Number, required: true, min: 0, default: 0 };

export const CommentSchema = new Schema<CommentRow>(
  {
    postId: { type: Schema.Types.ObjectId, required: true },
    parentId: { type: Schema.Types.ObjectId, default: null },
    ancestors: { type: [Schema.Types.ObjectId], required: true, default: [] },
    authorId: { type: Schema.Types.ObjectId, required: true },
    authorSnapshot: {
      _id: false,
      username: { type: String, required: true },
      fullName: { type: String, required: true },
      profilePicture: { type: String, default: null },
    },
    content: { type: String, default: '', maxlength: MAX_CONTENT_LENGTH },
    html: {
      type: {
        _id: false,
        renderer: { type: Number, required: true },
        of: { type: Date, required: true },
        text: { type: String, required: true },
      },
    },
    stats: { _id: false, likesCount: counter, dislikesCount: counter, repliesCount: counter },
    isEdited: { type: Boolean, required: true, default: false },
    isVisible: { type: Boolean, required: true, default: true },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
    deletedAt: { type: Date, default: null },
  },
  schemaOptions(COMMENTS),
);
// GET /posts/:id/comments and /comments/:id/replies: visible ones of a post under one parent, newest or oldest first
CommentSchema.index(COMMENT_PAGES, { partialFilterExpression: { isVisible: true } });
// the same, sort=top
CommentSchema.index(TOP_COMMENT_PAGES, { partialFilterExpression: { isVisible: true } });
// cleanup: all comments of an author (account deleted, author renamed)
CommentSchema.index({ authorId: 1, _id: -1 });
// DELETE /comments/:id?tree=true: the whole subtree
CommentSchema.index({ ancestors: 1 });
// cleanup and audit: all rows of a post, deleted ones too
CommentSchema.index({ postId: 1, _id: 1 });

const count = { bsonType: 'number', minimum: 0 };

// enforced by the server for every writer, also those that bypass mongoose
declareValidator(CommentSchema, {
  $jsonSchema: {
    bsonType: 'object',
    required: ['_id', 'postId', 'parentId', 'ancestors', 'authorId', 'authorSnapshot', 'content', 'stats', 'isVisible'],
    properties: {
      postId: { bsonType: 'objectId' },
      parentId: { bsonType: ['objectId', 'null'] },
      ancestors: { bsonType: 'array', maxItems: MAX_DEPTH, items: { bsonType: 'objectId' } },
      authorId: { bsonType: 'objectId' },
      content: { bsonType: 'string', maxLength: MAX_CONTENT_LENGTH },
      stats: {
        bsonType: 'object',
        required: ['likesCount', 'dislikesCount', 'repliesCount'],
        properties: { likesCount: count, dislikesCount: count, repliesCount: count },
      },
      isEdited: { bsonType: 'bool' },
      isVisible: { bsonType: 'bool' },
      createdAt: { bsonType: 'date' },
      updatedAt: { bsonType: 'date' },
      deletedAt: { bsonType: ['date', 'null'] },
    },
  },
});
