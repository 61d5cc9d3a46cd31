import { Binary, type ObjectId } from 'mongodb';
import { Schema } from 'mongoose';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import type { StoredText } from './stored-text.js';

export const REVISIONS = 'revisions';
export const REVISION_MODEL = 'Revision';

/** A replaced text of a post or draft. */
export type RevisionRow = StoredText & {
  /** revisionId: the version of a holder, so that it is stored once and those of a holder are one range */
  _id: Binary;
  /** when this text was saved, not when it was replaced */
  savedAt: Date;
  /** whether everyone could read the post when this text was replaced; absent: no */
  wasPublic?: boolean;
};

export const RevisionSchema = new Schema<RevisionRow>(
  {
    _id: { type: Schema.Types.Buffer, required: true },
    title: { type: String },
    type: { type: String, default: null },
    tags: { type: [String], required: true },
    thumbnailUrl: { type: String, default: null },
    canonicalUrl: { type: String },
    codec: { type: String, required: true },
    rawLength: { type: Number, required: true },
    bytes: { type: Buffer, required: true },
    savedAt: { type: Date, required: true },
    wasPublic: { type: Boolean },
  },
  // RevisionStore reads only by the primary key
  schemaOptions(REVISIONS),
);

const MAX_VERSION = 0xffff_ffff;

/** The holder's 12 bytes, then the version in 4, most significant first, so that rows of a holder are in the order of versions. */
export function revisionId(holderId: ObjectId, version: number): Binary {
  const id = Buffer.alloc(16);
  holderId.id.forEach((byte, at) => (id[at] = byte));
  id.writeUInt32BE(version, 12);
  return new Binary(id);
}

export function versionOf({ _id }: Pick<RevisionRow, '_id'>): number {
  return Buffer.from(_id.buffer).readUInt32BE(12);
}

/** All rows of a holder, or those before a version. */
export function revisionsOf(holderId: ObjectId, before?: number): { _id: { $gte: Binary; $lt: Binary } } {
  return { _id: { $gte: revisionId(holderId, 0), $lt: revisionId(holderId, before ?? MAX_VERSION) } };
}
