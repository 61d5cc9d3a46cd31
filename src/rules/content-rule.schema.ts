import type { ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { declareValidator, exactShape } from '../platform/mongo/collection-validator.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import {
  HIT_TARGETS,
  type HitTarget,
  MAX_VALUE,
  RULE_ACTIONS,
  RULE_KINDS,
  RULE_SCOPES,
  type RuleAction,
  type RuleKind,
  type RuleScope,
} from './rule-kinds.js';

/** A word, phrase or domain, and the action on texts that contain it. */
@Schema(schemaOptions('content_rules'))
export class ContentRule {
  _id!: ObjectId;
  @Prop({ type: String, enum: RULE_KINDS, required: true }) kind!: RuleKind;
  @Prop({ required: true, maxlength: MAX_VALUE }) value!: string;
  /** keyOf(kind, value) */
  @Prop({ required: true }) key!: string;
  @Prop({ type: String, enum: RULE_ACTIONS, required: true }) action!: RuleAction;
  @Prop({ type: [{ type: String, enum: RULE_SCOPES }], required: true }) scope!: RuleScope[];
  /** stores only the hits */
  @Prop({ required: true }) isDryRun!: boolean;
  @Prop({ required: true }) createdAt!: Date;
  @Prop({ required: true }) updatedAt!: Date;
}

export type ListedRule = Omit<ContentRule, 'key'>;

export const ContentRuleSchema = SchemaFactory.createForClass(ContentRule);
// ContentRulesService.create, .update: no second rule with the same value and action
ContentRuleSchema.index({ key: 1, action: 1 }, { unique: true });

declareValidator(ContentRuleSchema, exactShape(ContentRuleSchema));

/** A text that a rule has matched, without the text. */
@Schema({ _id: false })
export class RuleHit {
  @Prop({ type: String, enum: HIT_TARGETS, required: true }) targetKind!: HitTarget;
  /** null for a rejected text that has no id */
  @Prop({ type: SchemaTypes.ObjectId, default: null }) targetId!: ObjectId | null;
  /** the author */
  @Prop({ type: SchemaTypes.ObjectId, required: true }) userId!: ObjectId;
  @Prop({ required: true }) at!: Date;
}

/** The latest hits of a rule, in a row of their own, because processes read all rules at once. */
@Schema(schemaOptions('content_rule_hits'))
export class RuleHits {
  /** id of the rule */
  _id!: ObjectId;
  /** oldest first */
  @Prop({ type: [RuleHit], required: true }) latest!: RuleHit[];
}

export const RuleHitsSchema = SchemaFactory.createForClass(RuleHits);
