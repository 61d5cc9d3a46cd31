import { CountedSignIn } from '../sign-in-metrics.js';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import type { SignedInDto } from '../account.dto.js';
import { AccountMails } from '../account-mails.js';
import { AuthService } from '../auth.service.js';
import type { ClientInfo } from '../client-info.js';
import { CredentialsService } from '../credentials.service.js';
import { OneTimeTokensService, type TokenKind } from '../one-time-tokens.service.js';
import { type FirstFactor, SecondFactorPort } from '../second-factor-port.js';
import { CodedError } from '../../common/errors.js';
import { findOne } from '../../platform/mongo/lean-reads.js';
import { MongoService } from '../../platform/mongo/mongo.service.js';
import { type Proof, ProofCheck } from './proof-check.js';
import { SecondFactor } from './second-factor.schema.js';

/** Proof of the first factor. It contains the time of the last password change, so that a new password revokes the token. */
const SIGN_IN: TokenKind<{ passwordChangedAt: Date | null }> = { name: 'sign-in.second-factor', ttlMs: 300_000 };
const MAX_TRIES = 5;

/** Sign-in of accounts with a second factor, in two requests. */
@Injectable()
export class SecondStepService implements OnModuleInit {
  constructor(
    private readonly mongo: MongoService,
    @InjectModel(SecondFactor.name) private readonly factors: Model<SecondFactor>,
    private readonly auth: AuthService,
    private readonly credentials: CredentialsService,
    private readonly tokens: OneTimeTokensService,
    private readonly proofs: ProofCheck,
    private readonly mails: AccountMails,
    private readonly port: SecondFactorPort,
  ) {}

  onModuleInit(): void {
    this.port.register((account) => this.requireSecondFactor(account));
  }

  /**
   * Voids the token after five wrong codes, and mails its owner that the password is known.
   * @throws CodedError `invalid_mfa_token`, `invalid_code`, `rate_limited`
   */
  @CountedSignIn()
  async signIn({ mfaToken, ...proof }: Proof & { mfaToken: string }, client: ClientInfo): Promise<SignedInDto> {
    const pending = await this.tokens.find(SIGN_IN, mfaToken);
    const credential = pending === null ? null : await this.credentials.findById(pending.userId);
    if (credential === null || !isSame(credential.passwordChangedAt, pending!.data.passwordChangedAt)) throw isOver();
    let left: number | null = MAX_TRIES;
    const beforeTry = async (): Promise<void> => {
      left = await this.tokens.countTry(SIGN_IN, mfaToken, MAX_TRIES);
      if (left === null) throw isOver();
    };
    const spend = await this.proofs
      .check(credential._id, proof, client, { beforeTry })
      .catch(async (error: unknown) => {
        const isLast = left === 0 && error instanceof CodedError && error.code === 'invalid_code';
        if (isLast) await this.mongo.transaction((tx) => this.mails.send('wrongCodes', credential.email, tx));
        throw error;
      });
    return this.auth.signIn(credential, client, async (tx) => {
      if ((await this.tokens.use(SIGN_IN, mfaToken, tx)) === null) throw isOver();
      await spend(tx);
    });
  }

  private async requireSecondFactor({ _id, passwordChangedAt = null }: FirstFactor): Promise<void> {
    if ((await findOne(this.factors, { _id, enabledAt: { $ne: null } }, { _id: 1 })) === null) return;
    const mfaToken = await this.mongo.transaction((tx) => this.tokens.issue(SIGN_IN, _id, { passwordChangedAt }, tx));
    throw new CodedError(
      'second_factor_required',
      'Send `mfaToken` with a code of your authenticator app, or a recovery code, to POST /v1/auth/login/second-factor.',
      { mfaToken },
    );
  }
}

function isSame(one: Date | null = null, other: Date | null): boolean {
  return one?.getTime() === other?.getTime();
}

function isOver(): CodedError {
  return new CodedError(
    'invalid_mfa_token',
    'The token is unknown, expired, used, or was tried too often. Sign in again.',
  );
}
