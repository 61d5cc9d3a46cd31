import type { Binary, ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { declareValidator, exactShape } from '../platform/mongo/collection-validator.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';

/** A reference from a post, draft, collection or account to an image. */
@Schema(schemaOptions('media_refs'))
export class MediaRef {
  /** pairId(mediaId, holderId), so that the references to one image are a range */
  @Prop({ type: SchemaTypes.Buffer, required: true }) _id!: Binary;
  @Prop({ type: SchemaTypes.ObjectId, required: true }) holderId!: ObjectId;
}

export const MediaRefSchema = SchemaFactory.createForClass(MediaRef);

// MediaRefsService.replace and detach: all references of one holder
MediaRefSchema.index({ holderId: 1 });

declareValidator(MediaRefSchema, exactShape(MediaRefSchema));
