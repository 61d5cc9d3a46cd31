import type { Binary, ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { declareValidator, exactShape } from '../platform/mongo/collection-validator.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import { COLLECTION_ITEMS, POST_SERIES } from './collection-rules.js';
import { POSITION_PATTERN } from './positions.js';

export const MAX_NOTE = 280;

/** sort order and index of a collection's items */
export const ITEM_ORDER = { collectionId: 1, position: 1, _id: 1 } as const;

/** items of a post, latest first */
export const ITEMS_OF_POST = { postId: 1, isListed: 1, addedAt: -1 } as const;

const id = { type: SchemaTypes.ObjectId, required: true };

@Schema(schemaOptions(COLLECTION_ITEMS))
export class CollectionItem {
  /** pairId(collectionId, postId) */
  @Prop({ type: SchemaTypes.Buffer, required: true }) _id!: Binary;
  @Prop(id) collectionId!: ObjectId;
  @Prop(id) postId!: ObjectId;
  /** see positions.ts */
  @Prop({ required: true }) position!: string;
  /** copied from the post; `postsCount` counts listed items */
  @Prop({ required: true }) isListed!: boolean;
  @Prop({ type: String, default: null }) note!: string | null;
  @Prop({ required: true }) addedAt!: Date;
}

export const CollectionItemSchema = SchemaFactory.createForClass(CollectionItem);
// GET /collections/:id/posts; the order for a new item
CollectionItemSchema.index(ITEM_ORDER);
// notifications: the latest items of a post (ITEMS_OF_POST); cleanup: the items of a deleted, hidden or published post
CollectionItemSchema.index(ITEMS_OF_POST);

// The server enforces the schema for all writers, including those that bypass mongoose.
const note = { bsonType: ['string', 'null'], maxLength: MAX_NOTE };
const position = { bsonType: 'string', pattern: POSITION_PATTERN };
declareValidator(CollectionItemSchema, exactShape(CollectionItemSchema, { position, note }));

/** The series of a post. The primary key is the post id, so a post is in at most one series. */
@Schema(schemaOptions(POST_SERIES))
export class PostSeries {
  @Prop(id) _id!: ObjectId;
  @Prop(id) collectionId!: ObjectId;
}

export const PostSeriesSchema = SchemaFactory.createForClass(PostSeries);
// cleanup: the posts of a deleted series
PostSeriesSchema.index({ collectionId: 1 });

declareValidator(PostSeriesSchema, exactShape(PostSeriesSchema));
