import type { Binary, ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { declareValidator, exactShape } from '../platform/mongo/collection-validator.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';

export const ACCOUNT_NETWORKS = 'account_networks';
/** index of the list, which hints it */
export const BY_NETWORK = { networks: 1, _id: -1 } as const;

/** The networks of a new account, or of one that was banned with its network, for at most 30 days. */
@Schema(schemaOptions(ACCOUNT_NETWORKS))
export class AccountNetwork {
  /** the account, also of a pending registration */
  _id!: ObjectId;
  /** keyed hashes, because the network itself is not stored */
  @Prop({ type: [SchemaTypes.Buffer], required: true }) networks!: Binary[];
  /** registrations from these networks wait for approval until then; null: not banned */
  @Prop({ type: Date, default: null }) bannedUntil!: Date | null;
  @Prop({ required: true }) expiresAt!: Date;
}

export const AccountNetworkSchema = SchemaFactory.createForClass(AccountNetwork);

// AccountNetworksService.isBanned
AccountNetworkSchema.index(
  { networks: 1, bannedUntil: 1 },
  { partialFilterExpression: { bannedUntil: { $gt: new Date(0) } } },
);
// AccountNetworksService.listSharing
AccountNetworkSchema.index(BY_NETWORK);
// MongoDB deletes the rows after 30 days.
AccountNetworkSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

declareValidator(AccountNetworkSchema, exactShape(AccountNetworkSchema));
