import type { Binary, ObjectId } from 'mongodb';
import { Schema } from 'mongoose';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import { declareValidator, exactShape } from '../platform/mongo/collection-validator.js';

export const FOLLOWS = 'follows';
/** the name of the model */
export const FOLLOW_MODEL = 'Follow';

/** One row per ordered pair of accounts, by its primary key. */
export type FollowRow = {
  /** pairId(followerId, followingId): the range of one follower is also the cheapest list of followed accounts */
  _id: Binary;
  followerId: ObjectId;
  followingId: ObjectId;
  /** created with the row; both lists are paged by it */
  seq: ObjectId;
  since: Date;
};

export const FollowSchema = new Schema<FollowRow>(
  {
    _id: { type: Schema.Types.Buffer, required: true },
    followerId: { type: Schema.Types.ObjectId, required: true },
    followingId: { type: Schema.Types.ObjectId, required: true },
    seq: { type: Schema.Types.ObjectId, required: true },
    since: { type: Date, required: true },
  },
  schemaOptions(FOLLOWS),
);
// GET /users/:username/following: latest first
FollowSchema.index({ followerId: 1, seq: -1 });
// GET /users/:username/followers: latest first; home timelines: all followers of an author, in order
FollowSchema.index({ followingId: 1, seq: -1 });

// enforced by the server for every writer, also those that bypass mongoose
declareValidator(FollowSchema, exactShape(FollowSchema));
