import type { Binary, ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { declareValidator, exactShape } from '../platform/mongo/collection-validator.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import { COLLECTION_ITEMS, POST_SERIES } from './collection-rules.js';
import { POSITION_PATTERN } from './positions.js';

export const MAX_NOTE = 280;

/** the index of a collection's order, which contains all fields of the order */
export const ITEM_ORDER = { collectionId: 1, position: 1, _id: 1 } as const;

/** the items of a post, latest first */
export const ITEMS_OF_POST = { postId: 1, isListed: 1, addedAt: -1 } as const;

const id = { type: SchemaTypes.ObjectId, required: true };

/** A post in a collection. */
@Schema(schemaOptions(COLLECTION_ITEMS))
export class CollectionItem {
  /** pairId(collectionId, postId) */
  @Prop({ type: SchemaTypes.Buffer, required: true }) _id!: Binary;
  @Prop(id) collectionId!: ObjectId;
  @Prop(id) postId!: ObjectId;
  /** see positions.ts */
  @Prop({ required: true }) position!: string;
  /** of the post; `postsCount` counts the listed ones */
  @Prop({ required: true }) isListed!: boolean;
  @Prop({ type: String, default: null }) note!: string | null;
  @Prop({ required: true }) addedAt!: Date;
}

export const CollectionItemSchema = SchemaFactory.createForClass(CollectionItem);
// GET /collections/:id/posts; the order for a new item
CollectionItemSchema.index(ITEM_ORDER);
// notifications: the latest items of a post (ITEMS_OF_POST); cleanup: those of a deleted, hidden or published post
CollectionItemSchema.index(ITEMS_OF_POST);

// enforced by the server for every writer, also those that bypass mongoose
const note = { bsonType: ['string', 'null'], maxLength: MAX_NOTE };
const position = { bsonType: 'string', pattern: POSITION_PATTERN };
declareValidator(CollectionItemSchema, exactShape(CollectionItemSchema, { position, note }));

/** The one series a post is in: its primary key is the post. */
@Schema(schemaOptions(POST_SERIES))
export class PostSeries {
  @Prop(id) _id!: ObjectId;
  @Prop(id) collectionId!: ObjectId;
}

export const PostSeriesSchema = SchemaFactory.createForClass(PostSeries);
// cleanup: the posts of a deleted series
PostSeriesSchema.index({ collectionId: 1 });

declareValidator(PostSeriesSchema, exactShape(PostSeriesSchema));
