import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import type { ObjectId } from 'mongodb';
import { SchemaTypes } from 'mongoose';
import { declareValidator, exactShape } from '../platform/mongo/collection-validator.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import { MAX_LISTED } from './feed-list.js';

/** The first posts of an order that has no index, for the readers of one rank slot. The score job writes it with its flip. */
@Schema(schemaOptions('feed_lists'))
export class StoredFeedList {
  /** order and rank slot, as `rising|A` */
  @Prop({ required: true }) _id!: string;
  /** posts, first to last */
  @Prop({ type: [SchemaTypes.ObjectId], required: true }) ids!: ObjectId[];
}

export const StoredFeedListSchema = SchemaFactory.createForClass(StoredFeedList);

declareValidator(
  StoredFeedListSchema,
  exactShape(StoredFeedListSchema, {
    ids: { bsonType: 'array', maxItems: MAX_LISTED, items: { bsonType: 'objectId' } },
  }),
);
