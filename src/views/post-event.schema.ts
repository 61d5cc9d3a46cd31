import type { Binary, ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import { declareValidator, neverNegative } from '../platform/mongo/collection-validator.js';
import { VISITOR_EVENTS } from '../posts/score.js';
import { EVENT_KINDS, type EventKind } from './event-keys.js';
import type { TopCount } from './top-counts.js';

/** counters of a day */
export const EVENT_COUNTERS = ['views', 'reads', 'shares', ...VISITOR_EVENTS] as const;
export const DAY_COUNTERS = [...EVENT_COUNTERS, 'likes', 'comments'] as const;
export type DayCounter = (typeof DAY_COUNTERS)[number];

export const POST_EVENTS = 'post_recent_events';
export const POST_EVENT_DAYS = 'post_event_days';

/**
 * A document of `post_recent_events`: one event of a viewer on a post in a window. The row identifies no person, because the id consists of
 * the window, the post and a keyed hash. After the end of the window, the event is folded into the post's day.
 */
@Schema(schemaOptions(POST_EVENTS))
export class RecentPostEvent {
  @Prop({ type: Buffer, required: true }) _id!: Binary;
  @Prop({ type: SchemaTypes.ObjectId, required: true }) postId!: ObjectId;
  @Prop({ type: String, required: true, enum: Object.keys(EVENT_KINDS) }) kind!: EventKind;
  @Prop({ required: true }) at!: Date;
  /** set for an event of a visitor or an unverified account */
  @Prop({ type: Boolean }) isVisitor?: true;
  /** of a view: the host of the page that links to the post */
  @Prop({ type: String }) referrer?: string;
}

export const RecentPostEventSchema = SchemaFactory.createForClass(RecentPostEvent);

const counter = { type: Number, required: true, min: 0, default: 0 };

/**
 * A document of `post_event_days`, `_id` `<postId>:<yyyy-mm-dd>`, or the sums of a month, `<postId>:<yyyy-mm>`; deleted only with its post. A post's views, reads and shares are
 * the sums of its days and the number of its recent events.
 */
@Schema(schemaOptions(POST_EVENT_DAYS))
export class PostEventDay {
  @Prop({ required: true }) _id!: string;
  @Prop({ type: SchemaTypes.ObjectId, required: true }) postId!: ObjectId;
  @Prop({ type: String }) day?: string;
  /** in place of `day` */
  @Prop({ type: String }) month?: string;
  @Prop(counter) views!: number;
  @Prop(counter) reads!: number;
  @Prop(counter) shares!: number;
  /** events of visitors */
  @Prop(counter) visitorReads!: number;
  @Prop(counter) visitorShares!: number;
  /** absent in days before they were counted; a like that is taken back stays */
  @Prop({ type: Number, min: 0 }) likes?: number;
  @Prop({ type: Number, min: 0 }) comments?: number;
  /** views by referrer, the 20 highest and `other` */
  @Prop({ type: [SchemaTypes.Mixed], default: undefined }) referrers?: TopCount[];
}

export const PostEventDaySchema = SchemaFactory.createForClass(PostEventDay);
// StatMonthsService: the oldest days
PostEventDaySchema.index({ day: 1 }, { sparse: true });

declareValidator(PostEventDaySchema, neverNegative(...DAY_COUNTERS));
