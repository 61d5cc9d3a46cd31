import type { Binary, ObjectId } from 'mongodb';
import { Schema } from 'mongoose';
import type { Scope } from '../../platform/auth/token-scope.js';
import { declareValidator, exactShape } from '../../platform/mongo/collection-validator.js';
import { schemaOptions } from '../../platform/mongo/schema-options.js';

const API_TOKENS = 'api_tokens';
export const API_TOKEN_MODEL = 'ApiToken';
export const MAX_API_TOKENS = 20;
export const MAX_TOKEN_NAME = 60;

/** A token for the programs of an account. */
export type ApiTokenRow = {
  _id: ObjectId;
  userId: ObjectId;
  /** 0 to 19, unique per account, which limits their number */
  slot: number;
  /** SHA-256: a reader of the database cannot use it */
  tokenHash: Binary;
  name: string;
  scopes: Scope[];
  createdAt: Date;
  /** null: never */
  expiresAt: Date | null;
  /** up to a minute old */
  lastUsedAt: Date | null;
};

export const ApiTokenSchema = new Schema<ApiTokenRow>(
  {
    userId: { type: Schema.Types.ObjectId, required: true },
    slot: { type: Number, required: true },
    tokenHash: { type: Schema.Types.Buffer, required: true },
    name: { type: String, required: true },
    scopes: { type: [String], required: true },
    createdAt: { type: Date, required: true },
    expiresAt: { type: Date, default: null },
    lastUsedAt: { type: Date, default: null },
  },
  schemaOptions(API_TOKENS),
);

// ApiTokensService.find: by the token of the request
ApiTokenSchema.index({ tokenHash: 1 }, { unique: true });
// ApiTokensService: the tokens of an account
ApiTokenSchema.index({ userId: 1, slot: 1 }, { unique: true });
// MongoDB deletes expired rows
ApiTokenSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

declareValidator(ApiTokenSchema, exactShape(ApiTokenSchema));
