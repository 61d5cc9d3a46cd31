import type { Binary, ObjectId } from 'mongodb';
import { Schema } from 'mongoose';
import { declareValidator } from '../platform/mongo/collection-validator.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';

export const HOME_TIMELINES = 'home_timelines';
export const HOME_TIMELINE_MODEL = 'HomeTimeline';
export const HOME_ENTRIES = 'home_entries';
export const HOME_ENTRY_MODEL = 'HomeEntry';
export const MERGED_AUTHORS = 'home_merged_authors';
export const MERGED_AUTHOR_MODEL = 'HomeMergedAuthor';

/**
 * The newest posts of all authors that a reader follows. Once filled, its entries include every listed post from `floor` on, except
 * those of `merged` authors and those of pending tasks. They may also include posts that are no longer listed, or whose authors
 * are no longer followed.
 */
export type HomeTimelineRow = {
  /** the reader */
  _id: ObjectId;
  /** the key prefix of its entries; a new one each time the timeline is opened. Null: there are none */
  home: ObjectId | null;
  isFilled: boolean;
  /** the position of the oldest entry; null: there are no older posts */
  floor: { createdAt: Date; _id: ObjectId } | null;
  /** authors merged at read time: recently followed, or with very many followers */
  merged: ObjectId[];
  /** updated at most once an hour */
  seenAt: Date;
};

/** One post in one timeline. The key contains all of it (home-entry-id.ts), so that a page is a range of keys and reads no document. */
export type HomeEntryRow = { _id: Binary };

/** An author who once had too many followers for a fan-out, and is merged at read time since then. */
export type MergedAuthorRow = {
  _id: ObjectId;
  /** whether every timeline opened before is updated */
  isSettled: boolean;
};

export const HomeTimelineSchema = new Schema<HomeTimelineRow>(
  {
    home: { type: Schema.Types.ObjectId, default: null },
    isFilled: { type: Boolean, required: true },
    floor: { type: new Schema({ createdAt: Date }), default: null },
    merged: { type: [Schema.Types.ObjectId], required: true },
    seenAt: { type: Date, required: true },
  },
  schemaOptions(HOME_TIMELINES),
);
declareValidator(HomeTimelineSchema, {
  $jsonSchema: {
    bsonType: 'object',
    required: ['home', 'isFilled', 'floor', 'merged', 'seenAt'],
    properties: { merged: { bsonType: 'array' } },
  },
});

export const HomeEntrySchema = new Schema<HomeEntryRow>(
  { _id: { type: Schema.Types.Buffer, required: true } },
  schemaOptions(HOME_ENTRIES),
);
declareValidator(HomeEntrySchema, {
  $jsonSchema: { bsonType: 'object', additionalProperties: false, properties: { _id: { bsonType: 'binData' } } },
});

export const MergedAuthorSchema = new Schema<MergedAuthorRow>(
  { isSettled: { type: Boolean, required: true } },
  schemaOptions(MERGED_AUTHORS),
);
