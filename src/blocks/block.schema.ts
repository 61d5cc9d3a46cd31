import type { Binary, ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { declareValidator, exactShape } from '../platform/mongo/collection-validator.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';

export const BLOCKS = 'blocks';
export const MUTES = 'mutes';
/** maximum of blocks of an account, and of its mutes */
export const MAX_PAIRS = 2_000;

const id = { type: SchemaTypes.ObjectId, required: true };

/** An account that blocks another one. */
@Schema(schemaOptions(BLOCKS))
export class Block {
  /** pairId(ownerId, otherId) */
  @Prop({ type: SchemaTypes.Buffer, required: true }) _id!: Binary;
  @Prop(id) ownerId!: ObjectId;
  @Prop(id) otherId!: ObjectId;
  /** created with the row; cursor of the list */
  @Prop(id) seq!: ObjectId;
}

export const BlockSchema = SchemaFactory.createForClass(Block);
// GET /users/me/blocks: latest first
BlockSchema.index({ ownerId: 1, seq: -1 });
// cleanup: blocks of a deleted account
BlockSchema.index({ otherId: 1, _id: 1 });

declareValidator(BlockSchema, exactShape(BlockSchema));

/** An account that has muted another one. */
@Schema(schemaOptions(MUTES))
export class Mute {
  /** pairId(ownerId, otherId) */
  @Prop({ type: SchemaTypes.Buffer, required: true }) _id!: Binary;
  @Prop(id) ownerId!: ObjectId;
  @Prop(id) otherId!: ObjectId;
  /** created with the row; cursor of the list */
  @Prop(id) seq!: ObjectId;
  /** null: until it is removed */
  @Prop({ type: Date, default: null }) until!: Date | null;
}

export const MuteSchema = SchemaFactory.createForClass(Mute);
// GET /users/me/mutes: latest first
MuteSchema.index({ ownerId: 1, seq: -1 });
// cleanup: mutes of a deleted account
MuteSchema.index({ otherId: 1, _id: 1 });
// MongoDB deletes expired rows, up to a minute later.
MuteSchema.index({ until: 1 }, { expireAfterSeconds: 0 });

declareValidator(MuteSchema, exactShape(MuteSchema));
