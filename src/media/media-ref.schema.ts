import type { Binary, ObjectId } from 'mongodb';
import { Schema } from 'mongoose';
import { declareValidator, exactShape } from '../platform/mongo/collection-validator.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';

export const MEDIA_REFS = 'media_refs';
/** the name of the model */
export const MEDIA_REF_MODEL = 'MediaRef';

/** A reference from a post, draft, collection or account to an image. */
export type MediaRefRow = {
  /** pairId(mediaId, holderId): the references to one image are a range */
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

// MediaRefs.release: all references of one holder
MediaRefSchema.index({ holderId: 1 });

declareValidator(MediaRefSchema, exactShape(MediaRefSchema));
