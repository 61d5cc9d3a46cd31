import type { ObjectId } from 'mongodb';
import { Prop, raw, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import type { AuthorSnapshot } from '../users/author-snapshot.js';
import { Removal } from '../moderation/removal.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import { declareValidator } from '../platform/mongo/collection-validator.js';
import { MAX_MENTIONS } from '../rendering/mentions.js';
import { MAX_CONTENT_LENGTH, MAX_DEPTH } from './comment-rules.js';

export const COMMENTS = 'comments';

export const COMMENT_COUNTERS = ['likesCount', 'dislikesCount', 'repliesCount'] as const;
export type CommentStats = Record<(typeof COMMENT_COUNTERS)[number], number>;

/** HTML rendered from the Markdown by the first read. @field of `updatedAt` of the rendered text */
export type CommentHtml = { renderer: number; of: Date; text: string };

/** indexes of the lists of comments: by time, by likes */
export const COMMENT_PAGES = { postId: 1, parentId: 1, _id: -1 } as const;
export const TOP_COMMENT_PAGES = { postId: 1, parentId: 1, 'stats.likesCount': -1, _id: -1 } as const;

/** index of the comments of an account */
export const COMMENTS_BY_AUTHOR = { authorId: 1, _id: -1 } as const;

const counter = { type: Number, required: true, min: 0, default: 0 };
const text = { type: String, required: true };

/** The removal of a comment: it is a tombstone with this text until a moderator restores it. */
@Schema({ _id: false })
export class CommentRemoval extends Removal {
  @Prop({ required: true, maxlength: MAX_CONTENT_LENGTH }) content!: string;
  @Prop({ type: [SchemaTypes.ObjectId], required: true }) mentions!: ObjectId[];
  /** held since it was written: only a restored comment notifies accounts */
  @Prop({ type: Boolean }) isUnannounced?: boolean;
}

/** A comment. A deleted one is stored as a tombstone while it has visible replies, a removed one until it is restored or deleted. */
@Schema(schemaOptions(COMMENTS))
export class Comment {
  /** The timestamp of the id equals createdAt. */
  _id!: ObjectId;
  @Prop({ type: SchemaTypes.ObjectId, required: true }) postId!: ObjectId;
  @Prop({ type: SchemaTypes.ObjectId, default: null }) parentId!: ObjectId | null;
  /** root first */
  @Prop({ type: [SchemaTypes.ObjectId], required: true, default: [] }) ancestors!: ObjectId[];
  @Prop({ type: SchemaTypes.ObjectId, required: true }) authorId!: ObjectId;
  @Prop(raw({ _id: false, username: text, fullName: text, profilePicture: { type: String, default: null } }))
  authorSnapshot!: AuthorSnapshot;
  /** empty after the deletion */
  @Prop({ default: '', maxlength: MAX_CONTENT_LENGTH }) content!: string;
  @Prop({ type: [SchemaTypes.ObjectId], required: true }) mentions!: ObjectId[];
  @Prop({ type: { _id: false, renderer: { type: Number, required: true }, of: { type: Date, required: true }, text } })
  html?: CommentHtml;
  /** repliesCount: visible direct replies, including tombstones */
  @Prop(raw({ _id: false, likesCount: counter, dislikesCount: counter, repliesCount: counter })) stats!: CommentStats;
  @Prop({ required: true, default: false }) isEdited!: boolean;
  /** the author is limited: lists omit its author and text; absent in most comments */
  @Prop({ type: Boolean }) isLimited?: boolean;
  /** false after the deletion, unless there are visible replies */
  @Prop({ required: true, default: true }) isVisible!: boolean;
  @Prop({ required: true }) createdAt!: Date;
  @Prop({ required: true }) updatedAt!: Date;
  @Prop({ type: Date, default: null }) deletedAt!: Date | null;
  /** absent in most comments */
  @Prop({ type: CommentRemoval }) removal?: CommentRemoval;
}

export const CommentSchema = SchemaFactory.createForClass(Comment);
// GET /posts/:id/comments and /comments/:id/replies: visible comments under one parent, newest or oldest first
CommentSchema.index(COMMENT_PAGES, { partialFilterExpression: { isVisible: true } });
// the same lists with sort=top
CommentSchema.index(TOP_COMMENT_PAGES, { partialFilterExpression: { isVisible: true } });
// GET /users/:username/comments and /users/me/comments; cleanup: all comments of a deleted or renamed author
CommentSchema.index(COMMENTS_BY_AUTHOR);
// DELETE /comments/:id?tree=true: the whole subtree
CommentSchema.index({ ancestors: 1 });
// cleanup and audit: all rows of a post, including deleted ones
CommentSchema.index({ postId: 1, _id: 1 });

const count = { bsonType: 'number', minimum: 0 };

// The server enforces the schema for all writers, including those that bypass mongoose.
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
      mentions: { bsonType: 'array', maxItems: MAX_MENTIONS, items: { bsonType: 'objectId' } },
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
