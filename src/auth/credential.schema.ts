import type { ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { schemaOptions } from '../platform/mongo/schema-options.js';

/** The credentials of an account, in a collection of their own so that no read of an account can return them. */
@Schema(schemaOptions('credentials'))
export class Credential {
  /** the account's id */
  _id!: ObjectId;
  /** canonical */
  @Prop({ required: true }) email!: string;
  /** `mailboxOf(email)` */
  @Prop({ required: true }) mailbox!: string;
  /** end of the account's ban, until which no other account may use the mailbox; absent or null: not banned */
  @Prop({ type: Date, default: null }) bannedUntil?: Date | null;
  /** absent or null: the address is unverified */
  @Prop({ type: Date, default: null }) emailVerifiedAt?: Date | null;
  /** the previous address, reserved for this account until `heldUntil` */
  @Prop({ type: String, default: null }) heldEmail?: string | null;
  @Prop({ type: Date, default: null }) heldUntil?: Date | null;
  /** providers that the owner unlinked: only the owner may link their identities again */
  @Prop({ type: [String], default: [] }) unlinkedProviders?: string[];
  /** argon2id, PHC string; null for an account without a password */
  @Prop({ type: String, default: null }) passwordHash!: string | null;
  /** last change by the owner, not by a rehash; absent or null: never */
  @Prop({ type: Date, default: null }) passwordChangedAt?: Date | null;
  /** last sign-in; its write conflicts with a change of the password */
  @Prop({ type: Date, default: null }) signedInAt?: Date | null;
  /** import from another server, whose tokens are valid until the owner signs out everywhere or changes the password */
  @Prop({ type: Date, default: null }) importedAt?: Date | null;
  @Prop({ required: true }) updatedAt!: Date;
}

export const CredentialSchema = SchemaFactory.createForClass(Credential);

// CredentialsService.findByLogin, .isTaken; one account per address
CredentialSchema.index({ email: 1 }, { unique: true });
// CredentialsService.isTaken: mailboxes of banned accounts; .listSharingMailbox
CredentialSchema.index({ mailbox: 1, bannedUntil: 1 });
// CredentialsService.isTaken: reserved previous addresses
CredentialSchema.index({ heldEmail: 1 }, { partialFilterExpression: { heldEmail: { $gt: '' } } });
