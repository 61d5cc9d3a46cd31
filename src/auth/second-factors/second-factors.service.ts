import { randomBytes } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { AccountMails } from '../account-mails.js';
import { PasswordsService } from '../passwords.service.js';
import type { ClientInfo } from '../client-info.js';
import { CredentialsService } from '../credentials.service.js';
import { SignInMethods } from '../sign-in-methods.js';
import { CodedError } from '../../common/errors.js';
import type { Viewer } from '../../platform/access/viewer.js';
import { isDuplicateKey } from '../../platform/mongo/duplicate-key.js';
import { findOne } from '../../platform/mongo/lean-reads.js';
import { MongoService } from '../../platform/mongo/mongo.service.js';
import type { Transaction } from '../../platform/mongo/transaction.js';
import { UsersService } from '../../users/users.service.js';
import type { SecondFactorStateDto } from './dto/second-factor.dto.js';
import { type Proof, ProofCheck } from './proof-check.js';
import { hashRecoveryCode, makeRecoveryCodes } from './recovery-codes.js';
import { SecondFactor } from './second-factor.schema.js';
import { base32, otpauthUrl, SECRET_BYTES } from './totp.js';

/** A secret without a confirmed code expires after this time, because its response may have leaked. */
const SETUP_MS = 10 * 60_000;

type OwnersProof = Proof & { password?: string | undefined };

/** Switches the authenticator app of an account on and off, and manages its recovery codes. */
@Injectable()
export class SecondFactorsService implements OnModuleInit {
  constructor(
    private readonly mongo: MongoService,
    @InjectModel(SecondFactor.name) private readonly factors: Model<SecondFactor>,
    private readonly passwords: PasswordsService,
    private readonly credentials: CredentialsService,
    private readonly users: UsersService,
    private readonly proofs: ProofCheck,
    private readonly mails: AccountMails,
    private readonly methods: SignInMethods,
  ) {}

  onModuleInit(): void {
    this.methods.register({
      deleteAddedSince: (_id, since, tx) =>
        this.factors.deleteOne({ _id, startedAt: { $gte: since } }, { session: tx.session }),
    });
  }

  async state(viewer: Viewer): Promise<SecondFactorStateDto> {
    const row = await findOne(this.factors, { _id: viewer._id }, { enabledAt: 1, recovery: 1 });
    const isEnabled = row !== null && row.enabledAt !== null;
    return { isEnabled, recoveryCodesLeft: isEnabled ? row.recovery.length : 0 };
  }

  /**
   * Creates a secret for an app. Sign-ins require a code only after `enable`.
   * @throws CodedError `invalid_credentials`, `recent_sign_in_required`, `second_factor_on`
   */
  async start(
    viewer: Viewer,
    password: string | undefined,
    client: ClientInfo,
  ): Promise<{ secret: string; otpauthUrl: string }> {
    const { _id } = await this.passwords.requireRecentProof(viewer, 'password', password, client);
    const { username } = await this.users.getById(_id);
    const secret = randomBytes(SECRET_BYTES);
    const totp = this.proofs.encrypt(secret);
    await this.mongo.serializedTransaction(viewer.id, async (tx) => {
      await this.requireAccount(_id, tx);
      const change = { $set: { totp, lastStep: 0, recovery: [], startedAt: new Date() } };
      try {
        await this.factors.updateOne({ _id, enabledAt: null }, change, { upsert: true, session: tx.session });
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        throw isOn(error);
      }
    });
    return { secret: base32(secret), otpauthUrl: otpauthUrl(secret, username) };
  }

  /**
   * Requires codes from now on.
   * @returns the recovery codes, which cannot be shown again
   * @throws CodedError `invalid_code`, `second_factor_on`, `second_factor_off` when no secret was created
   */
  async enable(viewer: Viewer, code: string, client: ClientInfo): Promise<string[]> {
    const _id = viewer._id;
    const row = await findOne(this.factors, { _id }, { startedAt: 1, enabledAt: 1 });
    if (row !== null && row.enabledAt !== null) throw isOn();
    if (row === null || row.startedAt.getTime() < Date.now() - SETUP_MS)
      throw new CodedError('second_factor_off', 'Start with POST /v1/auth/totp. Its secret is valid for ten minutes.');
    const spend = await this.proofs.check(_id, { code }, client, { isOn: false });
    const codes = makeRecoveryCodes();
    await this.mongo.serializedTransaction(viewer.id, async (tx) => {
      const { email } = await this.requireAccount(_id, tx);
      await spend(tx);
      const change = { enabledAt: new Date(), recovery: codes.map(hashRecoveryCode) };
      await this.factors.updateOne({ _id }, { $set: change }, { session: tx.session });
      await this.mails.send('secondFactorOn', email, tx);
    });
    return codes;
  }

  /** @throws CodedError `invalid_credentials`, `recent_sign_in_required`, `invalid_code`, `second_factor_off` */
  async disable(viewer: Viewer, proof: OwnersProof, client: ClientInfo): Promise<void> {
    await this.withProof(viewer, proof, client, async (_id, email, tx) => {
      await this.factors.deleteOne({ _id }, { session: tx.session });
      await this.mails.send('secondFactorOff', email, tx);
    });
  }

  /**
   * Creates new recovery codes and revokes the earlier ones.
   * @throws CodedError `invalid_credentials`, `recent_sign_in_required`, `invalid_code`, `second_factor_off`
   */
  async renewRecoveryCodes(viewer: Viewer, proof: OwnersProof, client: ClientInfo): Promise<string[]> {
    const codes = makeRecoveryCodes();
    await this.withProof(viewer, proof, client, async (_id, email, tx) => {
      await this.factors.updateOne(
        { _id },
        { $set: { recovery: codes.map(hashRecoveryCode) } },
        { session: tx.session },
      );
      await this.mails.send('recoveryCodesMade', email, tx);
    });
    return codes;
  }

  /** Switches the second factor off, for an owner without the app and recovery codes. Returns false if it was off. */
  async switchOff(_id: ObjectId): Promise<boolean> {
    return this.mongo.transaction(async (tx) => {
      const { email } = await this.requireAccount(_id, tx);
      const { deletedCount } = await this.factors.deleteOne({ _id }, { session: tx.session });
      if (deletedCount > 0) await this.mails.send('secondFactorOff', email, tx);
      return deletedCount > 0;
    });
  }

  private async withProof(
    viewer: Viewer,
    { password, ...proof }: OwnersProof,
    client: ClientInfo,
    change: (userId: ObjectId, email: string, tx: Transaction) => Promise<void>,
  ): Promise<void> {
    const { _id, email } = await this.passwords.requireRecentProof(viewer, 'password', password, client);
    const spend = await this.proofs.check(_id, proof, client);
    await this.mongo.serializedTransaction(viewer.id, async (tx) => {
      await spend(tx);
      await change(_id, email, tx);
    });
  }

  /** Throws if the account was deleted, because its cleanup may have run already. */
  private async requireAccount(userId: ObjectId, tx: Transaction): Promise<{ email: string }> {
    const credential = await this.credentials.lock(userId, tx);
    if (credential === null) throw new CodedError('user_not_found', 'The account was deleted.');
    return credential;
  }
}

function isOn(cause?: unknown): CodedError {
  return new CodedError('second_factor_on', 'Disable the current one first.', { cause });
}
