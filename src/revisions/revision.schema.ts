import { Binary, type ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import { StoredText } from './stored-text.js';

/** A replaced text of a post or draft. */
@Schema(schemaOptions('revisions'))
export class Revision extends StoredText {
  /** revisionId: unique per holder and version, so that the versions of a holder are one range */
  @Prop({ type: SchemaTypes.Buffer, required: true }) _id!: Binary;
  /** when this text was saved, not when it was replaced */
  @Prop({ required: true }) savedAt!: Date;
  /** whether everyone could read the post when this text was replaced; absent: no */
  @Prop() wasPublic?: boolean;
}

// RevisionStoreService reads only by the primary key.
export const RevisionSchema = SchemaFactory.createForClass(Revision);

const MAX_VERSION = 0xffff_ffff;

/** Returns the holder's 12 bytes and the version in 4 bytes, big-endian, so that rows of a holder are in the order of versions. */
export function revisionId(holderId: ObjectId, version: number): Binary {
  const id = Buffer.alloc(16);
  holderId.id.forEach((byte, at) => (id[at] = byte));
  id.writeUInt32BE(version, 12);
  return new Binary(id);
}

export function versionOf({ _id }: Pick<Revision, '_id'>): number {
  return Buffer.from(_id.buffer).readUInt32BE(12);
}

/** Selects all rows of a holder, or the rows before a version. */
export function revisionsOf(holderId: ObjectId, before?: number): { _id: { $gte: Binary; $lt: Binary } } {
  return { _id: { $gte: revisionId(holderId, 0), $lt: revisionId(holderId, before ?? MAX_VERSION) } };
}
