import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { declareValidator, exactShape } from '../mongo/collection-validator.js';
import { schemaOptions } from '../mongo/schema-options.js';

/** The mails that were sent on a day. */
@Schema(schemaOptions('mail_days'))
export class MailDay {
  /** `yyyy-mm-dd` (UTC) */
  @Prop({ required: true }) _id!: string;
  @Prop({ required: true, min: 0 }) sent!: number;
}

export const MailDaySchema = SchemaFactory.createForClass(MailDay);

declareValidator(MailDaySchema, exactShape(MailDaySchema));
