import type { Binary, ObjectId } from 'mongodb';
import { Schema } from 'mongoose';
import { declareValidator, exactShape } from '../platform/mongo/collection-validator.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';

export const MEDIA_REFS = 'media_refs';
/** the name the model is registered under */
export const MEDIA_REF_MODEL = 'MediaRef';

/** A post, draft, collection or account that names an image. */
export type MediaRefRow = {
  /** pairId(mediaId, holderId): those of one image are a range */
  _id: Binary;
  holderId: ObjectId;
};

export const MediaRefSchema = new Schema<MediaRefRow>(
  {
    _id: { type: Schema.Types.Buffer, required: true },
    holderId: { type: Schema.Types.ObjectId, required: true },
  },
  schemaOptions(MEDIA_REFS),
);

// MediaRefs.release: all of one holder
MediaRefSchema.index({ holderId: 1 });

declareValidator(MediaRefSchema, exactShape(MediaRefSchema));
