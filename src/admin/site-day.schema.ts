import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { declareValidator, exactShape } from '../platform/mongo/collection-validator.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';

const count = { type: Number, required: true, min: 0 };
const optional = { type: Number, default: null };

/** The figures of the site of a day. A job counts the current day every hour. */
@Schema(schemaOptions('site_days'))
export class SiteDay {
  /** `yyyy-mm-dd` (UTC) */
  @Prop({ required: true }) _id!: string;
  @Prop(count) newAccounts!: number;
  @Prop(count) activeAccounts!: number;
  @Prop(count) posts!: number;
  @Prop(count) comments!: number;
  @Prop(count) likes!: number;
  @Prop(count) reports!: number;
  @Prop(count) mails!: number;
  /** null without a decision */
  @Prop(optional) firstActionSeconds!: number | null;
  /** null for a day before the first count */
  @Prop(optional) storageBytes!: number | null;
}

export const SiteDaySchema = SchemaFactory.createForClass(SiteDay);

const orNull = { bsonType: ['number', 'null'], minimum: 0 };
declareValidator(SiteDaySchema, exactShape(SiteDaySchema, { firstActionSeconds: orNull, storageBytes: orNull }));
