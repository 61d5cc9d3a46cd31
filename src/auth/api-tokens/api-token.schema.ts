import type { Binary, ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import type { Scope } from '../../platform/access/token-scope.js';
import { declareValidator, exactShape } from '../../platform/mongo/collection-validator.js';
import { schemaOptions } from '../../platform/mongo/schema-options.js';

export const MAX_API_TOKENS = 20;
export const MAX_TOKEN_NAME = 60;

/** A token for the programs of an account. */
@Schema(schemaOptions('api_tokens'))
export class ApiToken {
  _id!: ObjectId;
  @Prop({ type: SchemaTypes.ObjectId, required: true }) userId!: ObjectId;
  /** 0 to 19, unique per account: limits the number of tokens */
  @Prop({ required: true }) slot!: number;
  /** SHA-256: a reader of the database cannot use the token */
  @Prop({ type: SchemaTypes.Buffer, required: true }) tokenHash!: Binary;
  @Prop({ required: true }) name!: string;
  @Prop({ type: [String], required: true }) scopes!: Scope[];
  @Prop({ required: true }) createdAt!: Date;
  /** null: the token does not expire */
  @Prop({ type: Date, default: null }) expiresAt!: Date | null;
  /** accurate to a minute; null: never used */
  @Prop({ type: Date, default: null }) lastUsedAt!: Date | null;
}

export const ApiTokenSchema = SchemaFactory.createForClass(ApiToken);

// ApiTokensService.find: by the token of the request
ApiTokenSchema.index({ tokenHash: 1 }, { unique: true });
// ApiTokensService: the tokens of an account
ApiTokenSchema.index({ userId: 1, slot: 1 }, { unique: true });
// MongoDB deletes expired rows.
ApiTokenSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

declareValidator(ApiTokenSchema, exactShape(ApiTokenSchema));
