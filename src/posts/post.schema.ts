import type { ObjectId } from 'mongodb';
import { Prop, raw, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import { declareValidator } from '../platform/mongo/collection-validator.js';
import type { ResponsiveImage } from '../media/responsive-image.js';
import { MAX_MENTIONS } from '../rendering/mentions.js';
import type { AuthorSnapshot } from '../users/author-snapshot.js';
import { Removal } from '../moderation/removal.js';
import { LATEST } from './publication-order.js';
import { ofEachCounter, POST_COUNTERS, POSTS, type PostStats, type VisitorStats } from './post-counters.js';
import { POST_TYPES, type PostType, VISIBILITIES, type Visibility } from './post-types.js';
import type { SlotRanks } from './score.js';
import { StoredLabels } from './stored-labels.js';

/** The removal of a post: it is private until a moderator restores its visibility. */
@Schema({ _id: false })
export class PostRemoval extends Removal {
  @Prop({ type: String, enum: VISIBILITIES, required: true }) visibility!: Visibility;
}

const counter = { type: Number, required: true, min: 0, default: 0 };
const rank = { type: Number, required: true };

/** The card of a post: everything that a list shows. The Markdown is in `post_bodies`. */
@Schema(schemaOptions(POSTS))
export class Post extends StoredLabels {
  _id!: ObjectId;
  @Prop({ required: true }) override title!: string;
  @Prop({ required: true }) slug!: string;
  @Prop({ type: String, required: true, enum: POST_TYPES }) override type!: PostType;
  @Prop({ default: '', maxlength: 700 }) contentPreview!: string;
  @Prop({ required: true, min: 1 }) readTime!: number;
  /** sizes of a thumbnail that is an image of the author; absent in most posts */
  @Prop({ type: { _id: false, key: String, width: Number, height: Number, widths: [Number], placeholder: String } })
  thumbnail?: ResponsiveImage | null;
  @Prop({ required: true }) isPublic!: boolean;
  /** readable by its address, in no list; never with `isPublic`; absent in most posts */
  /** also of the public posts of a limited account */
  @Prop({ type: Boolean }) isUnlisted?: boolean;
  @Prop({ required: true }) isEdited!: boolean;
  /** was never public */
  @Prop({ required: true }) isDraft!: boolean;
  /** whether the post rejects new comments */
  @Prop({ required: true }) isLocked!: boolean;
  /** whether all readers of the post can read its earlier versions */
  @Prop({ required: true }) isHistoryPublic!: boolean;
  /** true while public and not deleted: the flag by which every list filters */
  @Prop({ required: true }) isListed!: boolean;
  @Prop({ type: SchemaTypes.ObjectId, required: true }) authorId!: ObjectId;
  @Prop({ type: [SchemaTypes.ObjectId], required: true }) mentions!: ObjectId[];
  @Prop(raw({ _id: false, username: String, fullName: String, profilePicture: String }))
  authorSnapshot!: AuthorSnapshot;
  @Prop(raw({ _id: false, ...ofEachCounter(counter) })) stats!: PostStats;
  @Prop(raw({ _id: false, reads: counter, shares: counter, likes: counter, dislikes: counter }))
  visitors!: VisitorStats;
  @Prop(raw({ _id: false, hotA: rank, hotB: rank, topA: rank, topB: rank, winA: rank, winB: rank })) rank!: SlotRanks;
  /** increments with every edit; the first part of the ETag */
  @Prop({ required: true, min: 1 }) version!: number;
  /** first publication, or the start of a draft (as in its id): the time in lists and ranks */
  @Prop({ required: true }) createdAt!: Date;
  @Prop({ required: true }) contentEditedAt!: Date;
  @Prop({ required: true }) updatedAt!: Date;
  @Prop({ type: Date, default: null }) deletedAt!: Date | null;
  /** absent in most posts */
  @Prop({ type: PostRemoval }) removal?: PostRemoval | null;
}

export const PostSchema = SchemaFactory.createForClass(Post);

// These indexes contain only posts that readers can find, without hidden and deleted posts.
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
// my own posts, including drafts and hidden posts; cleanup of a deleted account
PostSchema.index({ authorId: 1, deletedAt: 1, ...LATEST });

const count = { bsonType: ['int', 'long'], minimum: 0 };

// The server rejects a counter below zero or with a fraction.
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
      mentions: { bsonType: 'array', maxItems: MAX_MENTIONS },
    },
  },
});
