import type { ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { declareValidator, exactShape } from '../platform/mongo/collection-validator.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';

export const EXPORT_STATES = ['waiting', 'ready', 'failed'] as const;
export type ExportState = (typeof EXPORT_STATES)[number];

/** An export of all data of an account. Its file is a blob. */
@Schema(schemaOptions('exports'))
export class Export {
  _id!: ObjectId;
  @Prop({ type: SchemaTypes.ObjectId, required: true }) userId!: ObjectId;
  /** in UTC, like 2026-11-24: an account has one a day */
  @Prop({ required: true }) day!: string;
  @Prop({ type: String, enum: EXPORT_STATES, required: true }) state!: ExportState;
  /** number of started attempts */
  @Prop({ required: true }) attempts!: number;
  @Prop({ type: Number, default: null }) bytes!: number | null;
  @Prop({ required: true }) createdAt!: Date;
  /** time at which row and file are deleted */
  @Prop({ required: true }) expiresAt!: Date;
}

export const ExportSchema = SchemaFactory.createForClass(Export);

// one a day; ExportsService.list, ExportWorker: all of an account
ExportSchema.index({ userId: 1, day: 1 }, { unique: true });

declareValidator(ExportSchema, exactShape(ExportSchema));

/** Returns the file of an attempt. An attempt that lost its lease then neither writes nor deletes the file of the next attempt. */
export function blobOf({ _id, attempts }: Pick<Export, '_id' | 'attempts'>): string {
  return `${_id.toHexString()}-${attempts}`;
}
