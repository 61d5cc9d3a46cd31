import { ObjectId } from 'mongodb';
import { Schema } from 'mongoose';
import { schemaOptions } from '../mongo/schema-options.js';
import type { Topic } from './topic.js';

export const EVENTS = 'events';
export const EVENT_MODEL = 'Event';

/** What a committed write publishes to every process of every host (EventStream). */
export type EventRow<P = unknown> = {
  _id: ObjectId;
  topic: string;
  payload: P;
  createdAt: Date;
  expiresAt: Date;
};

/** The change stream delivers an event with its commit; the row stays this long for operators to look at. */
const KEPT_MS = 60_000;

/** How long cached data is trusted after the last event that was received, in ms. */
export const TRUST_MS = 1_500;

/** Documents were written past the services: every subscriber has missed events. */
export const ALL_CHANGED: Topic<null> = { name: 'database.changed' };

export function eventRow<P>({ name: topic }: Topic<P>, payload: P): EventRow<P> {
  const now = Date.now();
  return { _id: new ObjectId(), topic, payload, createdAt: new Date(now), expiresAt: new Date(now + KEPT_MS) };
}

export const EventSchema = new Schema<EventRow>(
  {
    topic: { type: String, required: true },
    payload: { type: Schema.Types.Mixed, required: true },
    createdAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
  },
  schemaOptions(EVENTS),
);
// no query: MongoDB deletes expired events
EventSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
