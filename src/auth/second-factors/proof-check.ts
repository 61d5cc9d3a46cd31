import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Binary, type ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { AccountMails } from '../account-mails.js';
import type { ClientInfo } from '../client-info.js';
import { CredentialsService } from '../credentials.service.js';
import { SessionsService } from '../sessions.service.js';
import { LoginThrottle } from '../login-throttle.js';
import { CodedError } from '../../common/errors.js';
import { Encryptor } from '../../common/encryptor.js';
import { AppConfig } from '../../config/app-config.js';
import { findOne, streamMany } from '../../platform/mongo/lean-reads.js';
import type { Transaction } from '../../platform/mongo/transaction.js';
import { hashRecoveryCode } from './recovery-codes.js';
import { SecondFactor } from './second-factor.schema.js';
import { stepOf } from './totp.js';

/** A code or a recovery code; the code takes precedence. */
export type Proof = { code?: string | undefined; recoveryCode?: string | undefined };

/** Uses up the proof in a transaction. @throws CodedError `invalid_code` when a concurrent request has used it */
export type Spend = (tx: Transaction) => Promise<void>;

type Options = {
  /** false: for a secret that is not enabled yet */
  isOn?: boolean;
  /** runs after the delay, and before the proof is checked */
  beforeTry?: () => Promise<void>;
};

const FIELDS = { totp: 1, lastStep: 1, recovery: 1, startedAt: 1, enabledAt: 1 } as const;

/**
 * Checks codes of apps and recovery codes, each valid once. Failures delay further guesses and are counted apart from those of passwords:
 * a correct password does not reset them.
 */
@Injectable()
export class ProofCheck {
  private readonly encryptor: Encryptor;

  constructor(
    @InjectModel(SecondFactor.name) private readonly factors: Model<SecondFactor>,
    private readonly delays: LoginThrottle,
    private readonly sessions: SessionsService,
    private readonly credentials: CredentialsService,
    private readonly mails: AccountMails,
    { auth }: AppConfig,
  ) {
    this.encryptor = new Encryptor(auth.encryptionKeys, 'second-factor');
  }

  encrypt(secret: Buffer): Binary {
    return new Binary(this.encryptor.encrypt(secret.toString('base64')));
  }

  /** @throws CodedError `invalid_code`, `second_factor_off`, `rate_limited` */
  async check(
    userId: ObjectId,
    proof: Proof,
    { address }: ClientInfo,
    { isOn = true, beforeTry }: Options = {},
  ): Promise<Spend> {
    if (proof.code === undefined && proof.recoveryCode === undefined)
      throw new CodedError('invalid_code', 'Send a code of the authenticator app, or a recovery code.');
    const guess = {
      account: `second-factor ${userId.toHexString()}`,
      address,
      isKnownNetwork: () => this.sessions.isKnownNetwork(userId, address),
    };
    let spend: Spend | null = null;
    await this.delays.guard(guess, async () => {
      await beforeTry?.();
      const row = await findOne(this.factors, { _id: userId }, FIELDS);
      if (row === null || (row.enabledAt !== null) !== isOn)
        throw new CodedError('second_factor_off', 'The account has no second factor.');
      spend = proof.code === undefined ? this.recoverySpend(row, proof.recoveryCode!) : this.codeSpend(row, proof.code);
      return spend !== null;
    });
    if (spend === null) throw wrongCode();
    return spend;
  }

  /**
   * Encrypts every secret with the first key, so that the other keys can be removed.
   * @returns the number of secrets, and the accounts whose secret needs a key that is not configured
   */
  async reencryptAll(): Promise<{ reencrypted: number; lost: ObjectId[] }> {
    let reencrypted = 0;
    const lost: ObjectId[] = [];
    for await (const { _id, totp } of streamMany(this.factors, {}, { totp: 1 })) {
      const secret = this.decrypt(totp);
      if (secret === null) {
        lost.push(_id);
        continue;
      }
      // A secret that was replaced since its read already uses the first key.
      await this.factors.updateOne({ _id, totp }, { $set: { totp: this.encrypt(secret) } });
      reencrypted++;
    }
    return { reencrypted, lost };
  }

  private codeSpend({ _id, startedAt, lastStep, totp }: SecondFactor, code: string): Spend | null {
    const step = stepOf(this.secretOf({ _id, totp }), code, Date.now(), lastStep);
    if (step === null) return null;
    return (tx) => this.write({ _id, startedAt, lastStep }, { $set: { lastStep: step } }, tx);
  }

  private recoverySpend({ _id, recovery }: SecondFactor, code: string): Spend | null {
    const hash = hashRecoveryCode(code);
    if (!recovery.includes(hash)) return null;
    return async (tx) => {
      await this.write({ _id, recovery: hash }, { $pull: { recovery: hash } }, tx);
      const credential = await this.credentials.findById(_id);
      if (credential !== null) await this.mails.send('recoveryCodeUsed', credential.email, tx);
    };
  }

  private async write(filter: object, change: object, tx: Transaction): Promise<void> {
    const { matchedCount } = await this.factors.updateOne(filter, change, { session: tx.session });
    if (matchedCount === 0) throw wrongCode();
  }

  private decrypt({ buffer }: SecondFactor['totp']): Buffer | null {
    const secret = this.encryptor.decrypt(buffer);
    return secret === null ? null : Buffer.from(secret as string, 'base64');
  }

  private secretOf({ _id, totp }: Pick<SecondFactor, '_id' | 'totp'>): Buffer {
    const secret = this.decrypt(totp);
    if (secret !== null) return secret;
    throw new Error(`the second factor of account ${_id.toHexString()} is encrypted with a key that is not configured`);
  }
}

function wrongCode(): CodedError {
  return new CodedError('invalid_code', 'Invalid or used code.');
}
