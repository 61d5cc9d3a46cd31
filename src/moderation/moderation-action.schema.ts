import type { ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { declareValidator, exactShape } from '../platform/mongo/collection-validator.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import {
  type ActionKind,
  ACTION_KINDS,
  type ActorRole,
  ACTOR_ROLES,
  type TargetKind,
  TARGET_KINDS,
} from './action-kinds.js';

export const MAX_DETAIL = 100;

/** indexes of the filtered lists; the unfiltered list uses the primary key */
export const BY_TARGET = { targetId: 1, _id: -1 } as const;
export const BY_ACTOR = { actorId: 1, _id: -1 } as const;

const optional = { default: null, type: SchemaTypes.ObjectId };

/** An action of a moderator, an admin or the operator. Rows are only inserted. */
@Schema(schemaOptions('moderation_actions'))
export class ModerationAction {
  /** increases with time: the log is sorted by the primary key */
  _id!: ObjectId;
  /** null for the operator (a CLI command) */
  @Prop(optional) actorId!: ObjectId | null;
  @Prop({ type: String, enum: ACTOR_ROLES, required: true }) actorRole!: ActorRole;
  @Prop({ type: String, enum: ACTION_KINDS, required: true }) kind!: ActionKind;
  @Prop({ type: String, enum: TARGET_KINDS, required: true }) targetKind!: TargetKind;
  @Prop({ type: SchemaTypes.ObjectId, required: true }) targetId!: ObjectId;
  /** the account that owns the content */
  @Prop(optional) ownerId!: ObjectId | null;
  @Prop({ type: String, default: null }) detail!: string | null;
  @Prop({ required: true }) createdAt!: Date;
}

export const ModerationActionSchema = SchemaFactory.createForClass(ModerationAction);

// GET /admin/log?targetId=
ModerationActionSchema.index(BY_TARGET);
// GET /admin/log?actorId=
ModerationActionSchema.index(BY_ACTOR);

declareValidator(
  ModerationActionSchema,
  exactShape(ModerationActionSchema, {
    actorId: { bsonType: ['objectId', 'null'] },
    ownerId: { bsonType: ['objectId', 'null'] },
    detail: { bsonType: ['string', 'null'] },
  }),
);
