import type { Binary, ObjectId } from 'mongodb';
import { Schema } from 'mongoose';
import { declareValidator, exactShape } from '../platform/mongo/collection-validator.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import { FILE_TYPES, type FileType } from './file-key.js';

export const MEDIA = 'media';
/** the name of the model */
export const MEDIA_MODEL = 'Media';

/** `pending`: its files are being stored. `ending`: no longer readable, its files are to be deleted. */
const MEDIA_STATES = ['pending', 'ready', 'ending'] as const;
export type MediaState = (typeof MEDIA_STATES)[number];

/** An image. The row exists before the first of its files and after the last one, so no file lacks a row. */
export type MediaRow = {
  _id: ObjectId;
  ownerId: ObjectId;
  /** of the received bytes */
  sha256: Binary;
  /** part of its files' names, so that they cannot be guessed */
  secret: string;
  state: MediaState;
  /** of the image itself; smaller sizes are WebP */
  type: FileType;
  width: number;
  height: number;
  /** of the image itself */
  bytes: number;
  variants: { width: number; bytes: number }[];
  /** as a data URI */
  placeholder: string;
  alt: string;
  createdAt: Date;
  /** when the job checks whether it is used or must be deleted; null: it is used */
  sweepAt: Date | null;
};

const size = { type: Number, required: true };

export const MediaSchema = new Schema<MediaRow>(
  {
    ownerId: { type: Schema.Types.ObjectId, required: true },
    sha256: { type: Buffer, required: true },
    secret: { type: String, required: true },
    state: { type: String, enum: MEDIA_STATES, required: true },
    type: { type: String, enum: FILE_TYPES, required: true },
    width: size,
    height: size,
    bytes: size,
    variants: { type: [new Schema({ width: size, bytes: size }, { _id: false })], required: true },
    placeholder: { type: String, required: true },
    alt: { type: String, default: '' },
    createdAt: { type: Date, required: true },
    sweepAt: { type: Date, default: null },
  },
  schemaOptions(MEDIA),
);

/** MediaService.list: an owner's images, the latest first; MediaUploads: their number; MediaSubscriber: all of an owner */
export const OF_OWNER = { ownerId: 1, state: 1, _id: -1 } as const;
MediaSchema.index(OF_OWNER);
// MediaUploads: equal bytes of one owner are one image
MediaSchema.index({ ownerId: 1, sha256: 1 }, { unique: true, partialFilterExpression: { state: 'ready' } });
// MediaSweep: due rows
MediaSchema.index({ sweepAt: 1 }, { partialFilterExpression: { sweepAt: { $type: 'date' } } });

declareValidator(MediaSchema, exactShape(MediaSchema));
