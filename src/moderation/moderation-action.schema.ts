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
import { MAX_PRIVATE_NOTE, MAX_PUBLIC_REASON } from './action-texts.js';
import { type Reason, REASONS } from './reasons.js';

export const MAX_DETAIL = 100;

/** indexes of the filtered lists; the unfiltered list uses the primary key */
export const BY_TARGET = { targetId: 1, _id: -1 } as const;
export const BY_ACTOR = { actorId: 1, _id: -1 } as const;
export const BY_OWNER = { ownerId: 1, kind: 1, _id: -1 } as const;
export const BY_KIND = { kind: 1, _id: -1 } as const;

const optional = { default: null, type: SchemaTypes.ObjectId };
const text = { type: String, default: '' };

/** An action of a moderator, an admin or the operator. Rows are only inserted. */
@Schema(schemaOptions('moderation_actions'))
export class ModerationAction {
  /** increases with time: the log is sorted by the primary key */
  _id!: ObjectId;
  /** null for the operator (a CLI command) and the system */
  @Prop(optional) actorId!: ObjectId | null;
  @Prop({ type: String, enum: ACTOR_ROLES, required: true }) actorRole!: ActorRole;
  @Prop({ type: String, enum: ACTION_KINDS, required: true }) kind!: ActionKind;
  @Prop({ type: String, enum: TARGET_KINDS, required: true }) targetKind!: TargetKind;
  @Prop({ type: SchemaTypes.ObjectId, required: true }) targetId!: ObjectId;
  /** the account that owns the content, or an account that was acted on */
  @Prop(optional) ownerId!: ObjectId | null;
  @Prop({ type: String, default: null }) detail!: string | null;
  @Prop({ type: String, enum: REASONS, default: null }) reasonCode!: Reason | null;
  /** for the affected account, and for visitors of a public log */
  @Prop({ ...text, maxlength: MAX_PUBLIC_REASON }) publicReason!: string;
  /** for moderators */
  @Prop({ ...text, maxlength: MAX_PRIVATE_NOTE }) privateNote!: string;
  /** the end of a restriction; null: none */
  @Prop({ type: Date, default: null }) until!: Date | null;
  /** the case that the action closed */
  @Prop({ type: String, default: null }) caseId!: string | null;
  /** the action that this one undoes */
  @Prop(optional) reverses!: ObjectId | null;
  @Prop({ required: true }) createdAt!: Date;
}

/** The fields that only some actions have, with their default values. */
export const DEFAULT_FIELDS = {
  reasonCode: null,
  publicReason: '',
  privateNote: '',
  until: null,
  caseId: null,
  reverses: null,
} as const satisfies Partial<ModerationAction>;

export const ModerationActionSchema = SchemaFactory.createForClass(ModerationAction);

// GET /admin/log?targetId=
ModerationActionSchema.index(BY_TARGET);
// GET /admin/log?actorId=
ModerationActionSchema.index(BY_ACTOR);
// GET /users/me/moderation, GET /moderation/cases/:id
ModerationActionSchema.index(BY_OWNER);
// GET /moderation/log
ModerationActionSchema.index(BY_KIND);
// ModerationHistoryService.findReversed
ModerationActionSchema.index({ reverses: 1 });

const orNull = (bsonType: string) => ({ bsonType: [bsonType, 'null'] });

declareValidator(
  ModerationActionSchema,
  exactShape(ModerationActionSchema, {
    ...{ actorId: orNull('objectId'), ownerId: orNull('objectId'), detail: orNull('string') },
    ...{ reasonCode: orNull('string'), until: orNull('date'), caseId: orNull('string'), reverses: orNull('objectId') },
  }),
);
