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
 * The newest posts of all authors that a reader follows. A filled timeline contains every listed post from `floor` on, except those of
 * `merged` authors and pending tasks, and possibly posts that are no longer listed or followed.
 */
@Schema(schemaOptions(TIMELINES))
export class Timeline {
  /** the reader */
  _id!: ObjectId;
  /** the key prefix of its entries, which changes each time the timeline is opened; null while it is closed */
  @Prop({ type: SchemaTypes.ObjectId, default: null }) home!: ObjectId | null;
  @Prop({ required: true }) isFilled!: boolean;
  /** the position of the oldest complete entry; null if there are no older posts */
  @Prop({ type: TimelineFloor, default: null }) floor!: TimelineFloor | null;
  /** authors whose posts are merged at read time: recently followed or very popular ones */
  @Prop({ type: [SchemaTypes.ObjectId], required: true }) merged!: ObjectId[];
  /** the last visit, updated at most once an hour */
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

/** A post in a timeline. The key contains all data (timeline-entry-id.ts), so that a page is a covered query of a key range. */
@Schema(schemaOptions(TIMELINE_ENTRIES))
export class StoredTimelineEntry {
  @Prop({ type: SchemaTypes.Buffer, required: true }) _id!: Binary;
}

export const StoredTimelineEntrySchema = SchemaFactory.createForClass(StoredTimelineEntry);
declareValidator(StoredTimelineEntrySchema, {
  $jsonSchema: { bsonType: 'object', additionalProperties: false, properties: { _id: { bsonType: 'binData' } } },
});

/** An author who has exceeded the follower limit of a fan-out. Posts of the author are always merged at read time. */
@Schema(schemaOptions('home_merged_authors'))
export class MergedAuthor {
  _id!: ObjectId;
  /** whether all timelines opened before have been updated */
  @Prop({ required: true }) isSettled!: boolean;
}

export const MergedAuthorSchema = SchemaFactory.createForClass(MergedAuthor);
