import type { ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { namedValues } from '../common/named-values.js';
import { declareValidator, exactShape } from '../platform/mongo/collection-validator.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';

export const CONTENT_FILTERS = 'content_filters';
/** maximum of filters of an account */
export const MAX_FILTERS = 100;
export const MAX_PHRASE = 60;
/** the content that a filter can match */
export const FILTERED_KINDS = namedValues('FilteredKind', ['posts', 'comments']);
export type FilteredKind = (typeof FILTERED_KINDS)[number];
export const FILTER_ACTIONS = namedValues('FilterAction', ['hide', 'warn']);
export type FilterAction = (typeof FILTER_ACTIONS)[number];

/** A phrase that an account does not want to read. */
@Schema(schemaOptions(CONTENT_FILTERS))
export class ContentFilter {
  _id!: ObjectId;
  @Prop({ type: SchemaTypes.ObjectId, required: true }) ownerId!: ObjectId;
  @Prop({ required: true }) phrase!: string;
  /** its canonical spelling, unique in an account */
  @Prop({ required: true }) key!: string;
  @Prop({ required: true }) isWholeWord!: boolean;
  @Prop({ type: [String], required: true }) in!: FilteredKind[];
  @Prop({ type: String, required: true }) action!: FilterAction;
  /** null: until it is deleted */
  @Prop({ type: Date, default: null }) until!: Date | null;
}

/** The fields that the account sees. */
export const FILTER_FIELDS = { phrase: 1, isWholeWord: 1, in: 1, action: 1, until: 1 } as const;
export type FilterRow = Pick<ContentFilter, '_id' | keyof typeof FILTER_FIELDS>;

export const ContentFilterSchema = SchemaFactory.createForClass(ContentFilter);
// the filters of an account, by phrase: GET /users/me/filters, list filters, exports, cleanup
ContentFilterSchema.index({ ownerId: 1, key: 1 }, { unique: true });
// MongoDB deletes expired rows, up to a minute later.
ContentFilterSchema.index({ until: 1 }, { expireAfterSeconds: 0 });

declareValidator(ContentFilterSchema, exactShape(ContentFilterSchema));
