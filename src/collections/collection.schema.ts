import type { ObjectId } from 'mongodb';
import { Prop, raw, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { declareValidator, exactShape } from '../platform/mongo/collection-validator.js';
import { MAX_TAGS } from '../posts/labels.dto.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import { Removal } from '../moderation/removal.js';
import type { AuthorSnapshot } from '../users/author-snapshot.js';
import {
  COLLECTION_COUNTERS,
  COLLECTION_KINDS,
  type CollectionKind,
  COLLECTIONS,
  type CollectionStats,
  MAX_ITEMS,
} from './collection-rules.js';

export const MAX_COLLECTION_TITLE = 100;
export const MAX_DESCRIPTION = 500;

const counter = { type: Number, required: true, min: 0, default: 0 };
const text = { type: String, required: true };

/** The removal of a collection: it is private until a moderator restores its visibility. */
@Schema({ _id: false })
export class CollectionRemoval extends Removal {
  @Prop({ required: true }) isPublic!: boolean;
}

/** A named list of posts in the order of its owner. */
@Schema(schemaOptions(COLLECTIONS))
export class PostCollection {
  _id!: ObjectId;
  @Prop({ type: SchemaTypes.ObjectId, required: true }) ownerId!: ObjectId;
  @Prop(raw({ _id: false, username: text, fullName: text, profilePicture: { type: String, default: null } }))
  ownerSnapshot!: AuthorSnapshot;
  // The collection's validator checks lengths, because mongoose counts UTF-16 units instead of characters.
  @Prop(text) title!: string;
  @Prop(text) slug!: string;
  @Prop({ default: '' }) description!: string;
  @Prop({ ...text, enum: COLLECTION_KINDS }) kind!: CollectionKind;
  @Prop({ required: true }) isPublic!: boolean;
  /** public, not deleted, and its owner is not limited; every list filters by this flag */
  @Prop({ required: true }) isListed!: boolean;
  @Prop({ type: [String], required: true }) tags!: string[];
  @Prop({ type: String, default: null }) thumbnailUrl!: string | null;
  @Prop(raw({ _id: false, postsCount: counter, likesCount: counter, dislikesCount: counter, followersCount: counter }))
  stats!: CollectionStats;
  /** topScore(stats), updated together with stats */
  @Prop({ required: true, default: 0 }) topScore!: number;
  /** increments when the positions of all items are reassigned, which expires cursors */
  @Prop(counter) orderEpoch!: number;
  /** increments with every edit; the first part of the ETag */
  @Prop({ required: true, min: 1 }) version!: number;
  @Prop({ required: true }) createdAt!: Date;
  @Prop({ required: true }) updatedAt!: Date;
  @Prop({ type: Date, default: null }) deletedAt!: Date | null;
  /** absent in most collections */
  @Prop({ type: CollectionRemoval }) removal?: CollectionRemoval | null;
}

export const PostCollectionSchema = SchemaFactory.createForClass(PostCollection);

// These indexes exclude private and deleted collections.
const listed = { partialFilterExpression: { isListed: true } };

/** indexes of the lists; each query hints its index */
export const COLLECTION_LISTS = {
  latest: { isListed: 1, _id: -1 },
  top: { isListed: 1, topScore: -1, _id: -1 },
  latestOfTag: { tags: 1, _id: -1 },
  topOfTag: { tags: 1, topScore: -1, _id: -1 },
  ofOwner: { ownerId: 1, _id: -1 },
  mine: { ownerId: 1, deletedAt: 1, _id: -1 },
} as const;

// GET /collections
PostCollectionSchema.index(COLLECTION_LISTS.latest, listed);
// GET /collections?sort=top
PostCollectionSchema.index(COLLECTION_LISTS.top, listed);
// GET /collections?tag=
PostCollectionSchema.index(COLLECTION_LISTS.latestOfTag, listed);
// GET /collections?sort=top&tag=
PostCollectionSchema.index(COLLECTION_LISTS.topOfTag, listed);
// GET /users/:username/collections
PostCollectionSchema.index(COLLECTION_LISTS.ofOwner, listed);
// GET /users/me/collections; cleanup and audit: all collections of one owner
PostCollectionSchema.index(COLLECTION_LISTS.mine);

const count = { bsonType: ['int', 'long'], minimum: 0 };

// The server enforces the schema for all writers, including those that bypass mongoose.
declareValidator(
  PostCollectionSchema,
  exactShape(
    PostCollectionSchema,
    {
      ownerSnapshot: { bsonType: 'object', required: ['username', 'fullName'] },
      title: { bsonType: 'string', minLength: 1, maxLength: MAX_COLLECTION_TITLE },
      slug: { bsonType: 'string', minLength: 1 },
      description: { bsonType: 'string', maxLength: MAX_DESCRIPTION },
      kind: { enum: [...COLLECTION_KINDS] },
      tags: { bsonType: 'array', maxItems: MAX_TAGS, items: { bsonType: 'string' } },
      stats: {
        bsonType: 'object',
        required: [...COLLECTION_COUNTERS],
        properties: {
          ...Object.fromEntries(COLLECTION_COUNTERS.map((name) => [name, count])),
          postsCount: { ...count, maximum: MAX_ITEMS },
        },
      },
      topScore: { bsonType: ['int', 'long'] },
      orderEpoch: count,
      version: { ...count, minimum: 1 },
      removal: { bsonType: ['object', 'null'] },
    },
    ['removal'],
  ),
);
