import type { Binary, ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { declareValidator, exactShape } from '../platform/mongo/collection-validator.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import { FILE_TYPES, type FileType } from './file-key.js';

/** `pending`: the files are being stored. `removed`: by a moderator. `ending`: the image is unreadable and its files are being deleted. */
const MEDIA_STATES = ['pending', 'ready', 'removed', 'ending'] as const;
export type MediaState = (typeof MEDIA_STATES)[number];

@Schema({ _id: false })
export class MediaVariant {
  @Prop({ required: true }) width!: number;
  @Prop({ required: true }) bytes!: number;
}

/** An image. The row exists before the first of its files and after the last one, so no file lacks a row. */
@Schema(schemaOptions('media'))
export class Media {
  _id!: ObjectId;
  @Prop({ type: SchemaTypes.ObjectId, required: true }) ownerId!: ObjectId;
  /** hash of the received bytes; random for an upload without an account, so that no such uploads share an image */
  @Prop({ type: Buffer, required: true }) sha256!: Binary;
  /** makes the file names unguessable */
  @Prop({ required: true }) secret!: string;
  @Prop({ type: String, enum: MEDIA_STATES, required: true }) state!: MediaState;
  /** type of the original; smaller sizes are WebP */
  @Prop({ type: String, enum: FILE_TYPES, required: true }) type!: FileType;
  @Prop({ required: true }) width!: number;
  @Prop({ required: true }) height!: number;
  /** size of the original */
  @Prop({ required: true }) bytes!: number;
  @Prop({ type: [MediaVariant], required: true }) variants!: MediaVariant[];
  /** data URI */
  @Prop({ required: true }) placeholder!: string;
  @Prop({ default: '' }) alt!: string;
  @Prop({ required: true }) createdAt!: Date;
  /** when the job deletes the image or checks its references; null while referenced */
  @Prop({ type: Date, default: null }) sweepAt!: Date | null;
}

export const MediaSchema = SchemaFactory.createForClass(Media);

/** MediaService.list: images of an owner, latest first; hasCapacity and MediaSubscriber: all images of an owner */
export const OF_OWNER = { ownerId: 1, state: 1, _id: -1 } as const;
MediaSchema.index(OF_OWNER);
// MediaUploadsService: equal bytes of one owner are one image
MediaSchema.index({ ownerId: 1, sha256: 1 }, { unique: true, partialFilterExpression: { state: 'ready' } });
// UnusedMediaJob: due rows
MediaSchema.index({ sweepAt: 1 }, { partialFilterExpression: { sweepAt: { $type: 'date' } } });

declareValidator(MediaSchema, exactShape(MediaSchema));
