import type { Binary, ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { declareValidator, exactShape } from '../platform/mongo/collection-validator.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';

export const INVITES = 'invites';
/** maximum number of unexpired invites of an admin, and of the operator */
export const MAX_INVITES = 100;
export const MAX_USES = 100;
export const MAX_NOTE = 100;

/** A code that allows others to register. */
@Schema(schemaOptions(INVITES))
export class Invite {
  _id!: ObjectId;
  /** SHA-256, so that read access to the database does not reveal usable codes */
  @Prop({ type: SchemaTypes.Buffer, required: true }) codeHash!: Binary;
  /** null for the operator (a CLI command) */
  @Prop({ type: SchemaTypes.ObjectId, default: null }) creatorId!: ObjectId | null;
  /** numbered from 0 and unique per creator, which limits the number of invites */
  @Prop({ required: true }) slot!: number;
  @Prop({ required: true }) uses!: number;
  @Prop({ required: true }) usedCount!: number;
  /** a private note of the creator */
  @Prop({ default: '' }) note!: string;
  @Prop({ required: true }) createdAt!: Date;
  @Prop({ required: true }) expiresAt!: Date;
}

/** An invite without the hash of its code. */
export type ListedInvite = Omit<Invite, 'codeHash'>;

export const InviteSchema = SchemaFactory.createForClass(Invite);

// InvitesService.use: find by code
InviteSchema.index({ codeHash: 1 }, { unique: true });
// InvitesService.create: find a free slot
InviteSchema.index({ creatorId: 1, slot: 1 }, { unique: true });
// InvitesService.list and .streamOwn: by creator; admins list by the primary key
InviteSchema.index({ creatorId: 1, _id: -1 });
// MongoDB deletes expired rows.
InviteSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

declareValidator(InviteSchema, exactShape(InviteSchema, { creatorId: { bsonType: ['objectId', 'null'] } }));
