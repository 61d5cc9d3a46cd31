import { ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { schemaOptions } from '../mongo/schema-options.js';
import type { Topic } from '../../common/topic.js';

export const EVENTS = 'events';

/** The change stream delivers an event with its commit. Operators can inspect the row until it expires. */
const EVENT_TTL_MS = 60_000;

/** How long cached data is trusted after the last received event, in ms. */
export const TRUST_MS = 1_500;

/** Published when documents were written without the services: every subscriber has missed events. */
export const ALL_CHANGED: Topic<null> = { name: 'database.changed' };

export function eventRow<P>({ name: topic }: Topic<P>, payload: P, _id = new ObjectId()): StoredEvent<P> {
  const now = Date.now();
  return { _id, topic, payload, createdAt: new Date(now), expiresAt: new Date(now + EVENT_TTL_MS) };
}

/** An event of a committed write, for every process of every host (EventStream). */
@Schema(schemaOptions(EVENTS))
export class StoredEvent<P = unknown> {
  _id!: ObjectId;
  @Prop({ required: true }) topic!: string;
  @Prop({ type: SchemaTypes.Mixed, required: true }) payload!: P;
  @Prop({ required: true }) createdAt!: Date;
  @Prop({ required: true }) expiresAt!: Date;
}

export const StoredEventSchema = SchemaFactory.createForClass(StoredEvent);
// Serves no query. MongoDB deletes expired events.
StoredEventSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
