import { Binary, ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import { declareValidator } from '../platform/mongo/collection-validator.js';
import { INTERACTION_KINDS, type InteractionKind } from './interaction-id.js';
import { VOTE_VALUES, type VoteValue } from './vote-value.js';

export const INTERACTIONS = 'interactions';

/** The models of targets. Posts can be voted on, saved and hidden, comments voted on, collections voted on and followed. */
const TARGET_MODELS = ['Post', 'Comment', 'Collection'] as const;
export type TargetModel = (typeof TARGET_MODELS)[number];

/** Selects likes of posts. */
export const LIKED_POSTS = { targetModel: 'Post', value: 'like' } as const;

/** A vote, save, follow or hidden post. The primary key contains user, kind and target, so that nothing is counted twice. */
@Schema(schemaOptions(INTERACTIONS))
export class Interaction {
  /** interactionId(userId, kind, targetId) */
  @Prop({ type: SchemaTypes.Buffer, required: true }) _id!: Binary;
  @Prop({ type: SchemaTypes.ObjectId, required: true }) userId!: ObjectId;
  @Prop({ type: String, enum: TARGET_MODELS, required: true }) targetModel!: TargetModel;
  @Prop({ type: SchemaTypes.ObjectId, required: true }) targetId!: ObjectId;
  @Prop({ type: String, enum: INTERACTION_KINDS, required: true }) kind!: InteractionKind;
  /** null except for votes */
  @Prop({ type: String, enum: [...VOTE_VALUES, null], default: null }) value!: VoteValue | null;
  /** set on a post vote by an account without a verified address; such votes do not affect ranks */
  @Prop({ type: Boolean }) isVisitor?: true;
  /** sort key of lists; unchanged when the vote changes */
  @Prop({ type: SchemaTypes.ObjectId, required: true }) seq!: ObjectId;
  @Prop({ required: true }) createdAt!: Date;
  @Prop({ required: true }) updatedAt!: Date;
}

export const InteractionSchema = SchemaFactory.createForClass(Interaction);
// GET /posts/:id/votes and /comments/:id/votes: likes, latest first; cleanup and audit: all rows of a target
InteractionSchema.index({ targetId: 1, kind: 1, value: 1, seq: -1 });
// GET /users/me/saved: saves of the viewer, latest first
InteractionSchema.index({ userId: 1, seq: -1 }, { partialFilterExpression: { kind: 'save' } });
// GET /users/me/liked: liked posts, latest first; the index has a name, because its key equals that of the saves
InteractionSchema.index({ userId: 1, seq: -1 }, { name: 'liked_posts', partialFilterExpression: LIKED_POSTS });
// GET /users/me/followed-collections: latest first
InteractionSchema.index(
  { userId: 1, seq: -1 },
  { name: 'followed_collections', partialFilterExpression: { kind: 'follow' } },
);
// GET /users/me/hidden: latest first
InteractionSchema.index({ userId: 1, seq: -1 }, { name: 'hidden_posts', partialFilterExpression: { kind: 'hide' } });

// The server enforces the schema for all writers, including those that bypass mongoose.
declareValidator(InteractionSchema, {
  $jsonSchema: {
    bsonType: 'object',
    additionalProperties: false,
    required: ['_id', 'userId', 'targetModel', 'targetId', 'kind', 'value', 'seq', 'createdAt', 'updatedAt'],
    properties: {
      _id: { bsonType: 'binData' },
      userId: { bsonType: 'objectId' },
      targetModel: { enum: [...TARGET_MODELS] },
      targetId: { bsonType: 'objectId' },
      kind: { enum: INTERACTION_KINDS },
      value: { enum: [...VOTE_VALUES, null] },
      isVisitor: { bsonType: 'bool' },
      seq: { bsonType: 'objectId' },
      createdAt: { bsonType: 'date' },
      updatedAt: { bsonType: 'date' },
    },
  },
});
