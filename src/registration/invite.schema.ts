import type { Binary, ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { declareValidator, exactShape } from '../platform/mongo/collection-validator.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';

export const INVITES = 'invites';
/** unexpired ones of an admin, and of the operator */
export const MAX_INVITES = 100;
export const MAX_USES = 100;
export const MAX_NOTE = 100;

/** A code by which others register. */
@Schema(schemaOptions(INVITES))
export class Invite {
  _id!: ObjectId;
  /** SHA-256: a reader of the database cannot use it */
  @Prop({ type: SchemaTypes.Buffer, required: true }) codeHash!: Binary;
  /** null: the operator, by a command */
  @Prop({ type: SchemaTypes.ObjectId, default: null }) creatorId!: ObjectId | null;
  /** from 0, unique per creator, which limits their number */
  @Prop({ required: true }) slot!: number;
  @Prop({ required: true }) uses!: number;
  @Prop({ required: true }) usedCount!: number;
  /** of the creator, for itself */
  @Prop({ default: '' }) note!: string;
  @Prop({ required: true }) createdAt!: Date;
  @Prop({ required: true }) expiresAt!: Date;
}

/** Without the hash. */
export type ListedInvite = Omit<Invite, 'codeHash'>;

export const InviteSchema = SchemaFactory.createForClass(Invite);

// Invites.use: by the code of a registration
InviteSchema.index({ codeHash: 1 }, { unique: true });
// Invites.create: a free slot
InviteSchema.index({ creatorId: 1, slot: 1 }, { unique: true });
// Invites.list and .streamOwn: those of an account; admins read the primary key
InviteSchema.index({ creatorId: 1, _id: -1 });
// MongoDB deletes expired rows
InviteSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

declareValidator(InviteSchema, exactShape(InviteSchema, { creatorId: { bsonType: ['objectId', 'null'] } }));
