import type { ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { declareValidator, exactShape } from '../platform/mongo/collection-validator.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';

/** targets whose texts a removal empties one by one */
export const TEXT_TARGETS = ['profile', 'note'] as const;
export type TextTarget = (typeof TEXT_TARGETS)[number];

/** latest removal of a target first */
export const OF_TARGET = { targetId: 1, targetKind: 1, _id: -1 } as const;

const id = { type: SchemaTypes.ObjectId, required: true };
const values = { type: SchemaTypes.Mixed, required: true };

/** Texts that a removal has emptied, until a moderator restores them. */
@Schema(schemaOptions('removed_texts'))
export class RemovedText {
  /** of the action */
  @Prop(id) _id!: ObjectId;
  @Prop({ type: String, enum: TEXT_TARGETS, required: true }) targetKind!: TextTarget;
  @Prop(id) targetId!: ObjectId;
  @Prop(id) ownerId!: ObjectId;
  /** by field of the profile, or by hex post id */
  @Prop(values) before!: Record<string, unknown>;
  /** the value that replaced each */
  @Prop(values) after!: Record<string, unknown>;
  /** null: a username, which stays reserved */
  @Prop({ type: Date, default: null }) expiresAt!: Date | null;
}

export const RemovedTextSchema = SchemaFactory.createForClass(RemovedText);
// RemovedTextsService.findLatest, .findOf
RemovedTextSchema.index(OF_TARGET);
// RemovedTextsService.hasName; cleanup of a deleted account
RemovedTextSchema.index({ ownerId: 1 });
RemovedTextSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

const object = { bsonType: 'object' };
declareValidator(
  RemovedTextSchema,
  exactShape(RemovedTextSchema, { before: object, after: object, expiresAt: { bsonType: ['date', 'null'] } }),
);
