import type { ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { declareValidator, neverNegative } from '../platform/mongo/collection-validator.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import type { TopCount } from './top-counts.js';

export const AUTHOR_DAYS = 'author_days';
export const AUTHOR_COUNTERS = ['views', 'reads', 'shares', 'likes', 'comments', 'follows'] as const;
export type AuthorCounter = (typeof AUTHOR_COUNTERS)[number];

const counter = { type: Number, required: true, min: 0 };

/**
 * A document of `author_days`, `_id` `<authorId>:<yyyy-mm-dd>`, or the sums of a month, `<authorId>:<yyyy-mm>`: all posts of an author, also
 * posts deleted later.
 */
@Schema(schemaOptions(AUTHOR_DAYS))
export class AuthorDay {
  @Prop({ required: true }) _id!: string;
  @Prop({ type: SchemaTypes.ObjectId, required: true }) authorId!: ObjectId;
  @Prop({ type: String }) day?: string;
  /** in place of `day` */
  @Prop({ type: String }) month?: string;
  @Prop(counter) views!: number;
  @Prop(counter) reads!: number;
  @Prop(counter) shares!: number;
  @Prop(counter) likes!: number;
  @Prop(counter) comments!: number;
  /** new followers */
  @Prop(counter) follows!: number;
  /** views by hex id of the post, the 20 most viewed */
  @Prop({ type: [SchemaTypes.Mixed], default: undefined }) posts?: TopCount[];
  /** views by referrer, the 20 highest and `other` */
  @Prop({ type: [SchemaTypes.Mixed], default: undefined }) referrers?: TopCount[];
}

export const AuthorDaySchema = SchemaFactory.createForClass(AuthorDay);
// StatMonthsService: the oldest days
AuthorDaySchema.index({ day: 1 }, { sparse: true });

declareValidator(AuthorDaySchema, neverNegative(...AUTHOR_COUNTERS));
