import type { Binary, ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { declareValidator } from '../../platform/mongo/collection-validator.js';
import { schemaOptions } from '../../platform/mongo/schema-options.js';

export const TIMELINES = 'home_timelines';
export const TIMELINE_ENTRIES = 'home_entries';

@Schema({})
export class TimelineFloor {
  _id!: ObjectId;
  @Prop() createdAt!: Date;
}

/**
 * The newest posts of all authors that a reader follows. Once filled, its entries include every listed post from `floor` on, except
 * those of `merged` authors and those of pending tasks. They may also include posts that are no longer listed, or whose authors
 * are no longer followed.
 */
@Schema(schemaOptions(TIMELINES))
export class Timeline {
  /** the reader */
  _id!: ObjectId;
  /** the key prefix of its entries; a new one each time the timeline is opened. Null: there are none */
  @Prop({ type: SchemaTypes.ObjectId, default: null }) home!: ObjectId | null;
  @Prop({ required: true }) isFilled!: boolean;
  /** the position of the oldest entry; null: there are no older posts */
  @Prop({ type: TimelineFloor, default: null }) floor!: TimelineFloor | null;
  /** authors merged at read time: recently followed, or with very many followers */
  @Prop({ type: [SchemaTypes.ObjectId], required: true }) merged!: ObjectId[];
  /** updated at most once an hour */
  @Prop({ required: true }) seenAt!: Date;
}

export const TimelineSchema = SchemaFactory.createForClass(Timeline);
declareValidator(TimelineSchema, {
  $jsonSchema: {
    bsonType: 'object',
    required: ['home', 'isFilled', 'floor', 'merged', 'seenAt'],
    properties: { merged: { bsonType: 'array' } },
  },
});

/** One post in one timeline. The key contains all of it (timeline-entry-id.ts), so that a page is a range of keys and reads no document. */
@Schema(schemaOptions(TIMELINE_ENTRIES))
export class StoredHomeEntry {
  @Prop({ type: SchemaTypes.Buffer, required: true }) _id!: Binary;
}

export const StoredHomeEntrySchema = SchemaFactory.createForClass(StoredHomeEntry);
declareValidator(StoredHomeEntrySchema, {
  $jsonSchema: { bsonType: 'object', additionalProperties: false, properties: { _id: { bsonType: 'binData' } } },
});

/** An author who once had too many followers for a fan-out, and is merged at read time since then. */
@Schema(schemaOptions('home_merged_authors'))
export class MergedAuthor {
  _id!: ObjectId;
  /** whether every timeline opened before is updated */
  @Prop({ required: true }) isSettled!: boolean;
}

export const MergedAuthorSchema = SchemaFactory.createForClass(MergedAuthor);
