import type { Binary, ObjectId } from 'mongodb';
import { Schema } from 'mongoose';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import { EVENT_KINDS, type EventKind } from './event-keys.js';
import { declareValidator, neverNegative } from '../platform/mongo/collection-validator.js';
import { VISITOR_EVENTS } from '../posts/score.js';

/**
 * A document of `post_recent_events`: one event of a viewer on a post in a window. It names no person: the id consists of the window, the
 * post and a keyed hash. After the end of the window it is folded into the post's day.
 */
export type PostEventRow = {
  _id: Binary;
  postId: ObjectId;
  kind: EventKind;
  at: Date;
  /** only for an event of a visitor, or of an unverified account */
  isVisitor?: true;
};

const DAY_COUNTERS = ['views', 'reads', 'shares'] as const;
/** The counters of a day. */
export const EVENT_COUNTERS = [...DAY_COUNTERS, ...VISITOR_EVENTS] as const;

/**
 * A document of `post_event_days`, `_id` `<postId>:<yyyy-mm-dd>`; never deleted. A post's counters are the sums of its days and the
 * number of its recent events.
 */
export type PostEventDayRow = {
  _id: string;
  postId: ObjectId;
  day: string;
} & Record<(typeof DAY_COUNTERS)[number], number> &
  /** those of visitors; absent in days of earlier releases, which means 0 */
  Partial<Record<(typeof VISITOR_EVENTS)[number], number>>;

export const POST_EVENTS = 'post_recent_events';
export const POST_EVENT_DAYS = 'post_event_days';
export const POST_EVENT_MODEL = 'PostEvent';
export const POST_EVENT_DAY_MODEL = 'PostEventDay';

export const PostEventSchema = new Schema<PostEventRow>(
  {
    _id: { type: Buffer, required: true },
    postId: { type: Schema.Types.ObjectId, required: true },
    kind: { type: String, required: true, enum: Object.keys(EVENT_KINDS) },
    at: { type: Date, required: true },
    isVisitor: { type: Boolean },
  },
  schemaOptions(POST_EVENTS),
);

const counter = { type: Number, required: true, min: 0, default: 0 };

export const PostEventDaySchema = new Schema<PostEventDayRow>(
  {
    _id: { type: String, required: true },
    postId: { type: Schema.Types.ObjectId, required: true },
    day: { type: String, required: true },
    ...Object.fromEntries(EVENT_COUNTERS.map((name) => [name, counter])),
  },
  schemaOptions(POST_EVENT_DAYS),
);
declareValidator(PostEventDaySchema, neverNegative(...EVENT_COUNTERS));
