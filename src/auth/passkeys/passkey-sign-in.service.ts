import { CountedSignIn } from '../sign-in-metrics.js';
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import type { SignedInDto } from '../account.dto.js';
import { AuthService } from '../auth.service.js';
import type { ClientInfo } from '../client-info.js';
import { CredentialsService } from '../credentials.service.js';
import { OneTimeTokensService, type TokenKind } from '../one-time-tokens.service.js';
import { CodedError } from '../../common/errors.js';
import { AppConfig } from '../../config/app-config.js';
import { findOne } from '../../platform/mongo/lean-reads.js';
import { MongoService } from '../../platform/mongo/mongo.service.js';
import { challengeOf, checkAssertion } from './ceremonies.js';
import type { PasskeyLoginBody, PasskeyRequestOptionsDto } from './dto/passkey.dto.js';
import { Passkey } from './passkey.schema.js';
import { passkeyIdOf } from './passkeys.service.js';

const SIGN_IN: TokenKind<Record<string, never>> = { name: 'passkey.sign-in', ttlMs: 300_000 };
const FIELDS = { credentialId: 1, userId: 1, publicKey: 1, counter: 1 } as const;

/** Signs in with a passkey, which counts as both factors: the device, and the fingerprint or PIN that the device checks. */
@Injectable()
export class PasskeySignInService {
  private readonly site: AppConfig['auth']['passkeys'];

  constructor(
    private readonly mongo: MongoService,
    @InjectModel(Passkey.name) private readonly passkeys: Model<Passkey>,
    private readonly auth: AuthService,
    private readonly credentials: CredentialsService,
    private readonly tokens: OneTimeTokensService,
    config: AppConfig,
  ) {
    this.site = config.auth.passkeys;
  }

  /** Creates the same options for every account, because the passkey identifies the account. */
  async createOptions(): Promise<PasskeyRequestOptionsDto> {
    const noAccountYet = new ObjectId();
    const challenge = await this.mongo.transaction((tx) => this.tokens.issue(SIGN_IN, noAccountYet, {}, tx));
    return { challenge, rpId: this.site.id, timeout: SIGN_IN.ttlMs, userVerification: 'required' };
  }

  /** @throws CodedError `invalid_credentials` for an unknown, removed or copied passkey, and for a wrong or used signature */
  @CountedSignIn()
  async signIn(body: PasskeyLoginBody, client: ClientInfo): Promise<SignedInDto> {
    const row = await findOne(this.passkeys, { _id: passkeyIdOf(body.id) }, FIELDS);
    if (row === null) throw refused();
    const { _id, userId, counter: before } = row;
    const publicKey = Uint8Array.from(row.publicKey.buffer);
    const id = Buffer.from(row.credentialId.buffer).toString('base64url');
    const counter = await checkAssertion(body, { id, publicKey, counter: before }, this.site);
    const credential = counter === null ? null : await this.credentials.findById(userId);
    if (counter === null || credential === null) throw refused();
    return this.auth.signIn(credential, client, async (tx) => {
      const challenge = await this.tokens.use(SIGN_IN, challengeOf(body.response.clientDataJSON), tx);
      const used = { $set: { counter, lastUsedAt: new Date() } };
      const { matchedCount } = await this.passkeys.updateOne({ _id, userId, counter: before }, used, {
        session: tx.session,
      });
      if (challenge === null || matchedCount === 0) throw refused();
    });
  }
}

function refused(): CodedError {
  return new CodedError('invalid_credentials', 'The passkey is unknown, or its signature is invalid.');
}
