import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import type { ObjectId } from 'mongodb';
import { SchemaTypes } from 'mongoose';
import { namedValues } from '../common/named-values.js';
import { declareValidator, exactShape } from '../platform/mongo/collection-validator.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';

export const WRITER_LISTS = 'writer_lists';
export const WRITER_WINDOWS = namedValues('WriterWindow', ['week', 'month', 'year']);
export type WriterWindow = (typeof WRITER_WINDOWS)[number];
export const MAX_TOP_WRITERS = 500;

/** The top writers of a window. A job writes the list every hour. */
@Schema(schemaOptions(WRITER_LISTS))
export class WriterList {
  @Prop({ type: String, enum: WRITER_WINDOWS, required: true }) _id!: WriterWindow;
  /** accounts, first to last */
  @Prop({ type: [SchemaTypes.ObjectId], required: true }) ids!: ObjectId[];
}

export const WriterListSchema = SchemaFactory.createForClass(WriterList);

const ids = { bsonType: 'array', maxItems: MAX_TOP_WRITERS, items: { bsonType: 'objectId' } };
declareValidator(WriterListSchema, exactShape(WriterListSchema, { ids }));
