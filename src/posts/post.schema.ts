import { Schema } from 'mongoose';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import { declareValidator } from '../platform/mongo/collection-validator.js';
import { LATEST } from './latest.js';
import { ofEachCounter, POST_COUNTERS, POSTS, type PostRow } from './post-row.js';
import { POST_TYPES } from './post-types.js';

/** the name of the model */
export const POST_MODEL = 'Post';

const counter = { type: Number, required: true, min: 0, default: 0 };
const rank = { type: Number, required: true };

/** The card of a post: everything that a list shows. The Markdown is in `post_bodies`. */
export const PostSchema = new Schema<PostRow>(
  {
    title: { type: String, required: true },
    slug: { type: String, required: true },
    type: { type: String, required: true, enum: POST_TYPES },
    tags: { type: [String], required: true },
    contentPreview: { type: String, default: '', maxlength: 700 },
    readTime: { type: Number, required: true, min: 1 },
    thumbnailUrl: { type: String, default: null },
    thumbnail: {
      type: { _id: false, key: String, width: Number, height: Number, widths: [Number], placeholder: String },
    },
    canonicalUrl: { type: String },
    isPublic: { type: Boolean, required: true },
    isEdited: { type: Boolean, required: true },
    isDraft: { type: Boolean, default: false },
    isLocked: { type: Boolean, default: false },
    isHistoryPublic: { type: Boolean, default: false },
    isListed: { type: Boolean, required: true },
    authorId: { type: Schema.Types.ObjectId, required: true },
    authorSnapshot: { _id: false, username: String, fullName: String, profilePicture: String },
    stats: { _id: false, ...ofEachCounter(counter) },
    visitors: { _id: false, reads: counter, shares: counter, likes: counter, dislikes: counter },
    rank: { _id: false, hotA: rank, hotB: rank, topA: rank, topB: rank, winA: rank, winB: rank },
    version: { type: Number, required: true, min: 1 },
    createdAt: { type: Date, required: true },
    contentEditedAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
    deletedAt: { type: Date, default: null },
  },
  schemaOptions(POSTS),
);

// Only posts that readers can find: hidden and deleted ones are not in these indexes.
const listed = { partialFilterExpression: { isListed: true } };

// feed sort=latest
PostSchema.index(LATEST, listed);
// feed sort=latest&type=
PostSchema.index({ type: 1, ...LATEST }, listed);
// feed sort=latest&tag= (with or without type=)
PostSchema.index({ tags: 1, type: 1, ...LATEST }, listed);
// posts of an author as others see them; feed sort=latest&author=; feed/following, one range per author followed
PostSchema.index({ authorId: 1, ...LATEST }, listed);
for (const slot of ['A', 'B'] as const) {
  // feed sort=hot
  PostSchema.index({ [`rank.hot${slot}`]: -1, _id: -1 }, listed);
  // feed sort=hot&type=
  PostSchema.index({ type: 1, [`rank.hot${slot}`]: -1, _id: -1 }, listed);
  // feed sort=hot&tag=
  PostSchema.index({ tags: 1, type: 1, [`rank.hot${slot}`]: -1, _id: -1 }, listed);
  // feed sort=hot&author=
  PostSchema.index({ authorId: 1, [`rank.hot${slot}`]: -1, _id: -1 }, listed);
  // feed sort=top&window=, with or without type=
  PostSchema.index({ type: 1, [`rank.win${slot}`]: 1, [`rank.top${slot}`]: -1, _id: -1 }, listed);
  // feed sort=top&window=&tag=
  PostSchema.index({ tags: 1, type: 1, [`rank.win${slot}`]: 1, [`rank.top${slot}`]: -1, _id: -1 }, listed);
  // feed sort=top&author=
  PostSchema.index({ authorId: 1, [`rank.top${slot}`]: -1, _id: -1 }, listed);
}
// my own posts, with drafts and hidden ones; cleanup of a deleted account
PostSchema.index({ authorId: 1, deletedAt: 1, ...LATEST });

const count = { bsonType: ['int', 'long'], minimum: 0 };

// The server itself refuses a counter below zero or with a fraction.
declareValidator(PostSchema, {
  $jsonSchema: {
    bsonType: 'object',
    required: ['stats', 'authorId', 'isListed', 'version'],
    properties: {
      stats: {
        bsonType: 'object',
        required: POST_COUNTERS,
        properties: ofEachCounter(count),
      },
      visitors: { bsonType: 'object', properties: { reads: count, shares: count, likes: count, dislikes: count } },
      version: { bsonType: ['int', 'long'], minimum: 1 },
      tags: { bsonType: 'array', maxItems: 5 },
    },
  },
});
