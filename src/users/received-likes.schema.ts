import type { ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import type { CounterSource, OwnerRange } from '../audit/counter-registry.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';

export const RECEIVED_LIKES = 'received_likes';

/** The received likes that one transaction adds to authors, until a job adds them to the counters. */
@Schema(schemaOptions(RECEIVED_LIKES))
export class ReceivedLikesChange {
  _id!: ObjectId;
  /** difference by hex id of the author */
  @Prop({ type: SchemaTypes.Mixed, required: true }) changes!: Record<string, number>;
}

// No index: each read returns all rows.
export const ReceivedLikesChangeSchema = SchemaFactory.createForClass(ReceivedLikesChange);

/** An author's counter plus these rows equals the likes of the posts. */
export const WAITING_LIKES: CounterSource = {
  collection: RECEIVED_LIKES,
  counters: ['likesReceived'],
  pipeline: (holders) => [
    { $project: { changes: { $objectToArray: '$changes' } } },
    { $unwind: '$changes' },
    { $match: { 'changes.k': inHex(holders) } },
    { $group: { _id: { $toObjectId: '$changes.k' }, likesReceived: { $sum: { $multiply: [-1, '$changes.v'] } } } },
  ],
};

function inHex(holders: OwnerRange): Record<string, string> {
  return Object.fromEntries(Object.entries(holders).map(([operator, id]) => [operator, id.toHexString()]));
}
