import { Injectable } from '@nestjs/common';
import { Binary } from 'mongodb';
import { AccountMails } from '../account-mails.js';
import type { ClientInfo } from '../client-info.js';
import { CredentialsService } from '../credentials.service.js';
import { TokenRevocations } from '../token-revocations.js';
import { OneTimeTokensService } from '../one-time-tokens.service.js';
import { PasswordHasher } from '../password-hasher.js';
import { SessionsService } from '../sessions.service.js';
import { SignInMethods } from '../sign-in-methods.js';
import { KEPT_TOKENS, PASSWORD_RESET } from '../token-kinds.js';
import { CodedError } from '../../common/errors.js';
import { Encryptor } from '../../common/encryptor.js';
import { AppConfig } from '../../config/app-config.js';
import { MongoService } from '../../platform/mongo/mongo.service.js';
import type { ResetPasswordBody } from './dto/recovery.dto.js';
import { PASSWORD_RESET_REQUESTED } from './recovery.events.js';

/** Sets a new password for the reader of the account's mail. Needs no second factor, and removes one only if the address was unverified. */
@Injectable()
export class PasswordResetsService {
  private readonly addresses: Encryptor;

  constructor(
    private readonly mongo: MongoService,
    private readonly credentials: CredentialsService,
    private readonly sessions: SessionsService,
    private readonly methods: SignInMethods,
    private readonly tokens: OneTimeTokensService,
    private readonly passwords: PasswordHasher,
    private readonly revocations: TokenRevocations,
    private readonly mails: AccountMails,
    { auth }: AppConfig,
  ) {
    this.addresses = new Encryptor(auth.tokenSecrets, 'password-reset');
  }

  /** Reads nothing from the database, so neither the response nor its time reveals an account. */
  async request(email: string): Promise<void> {
    const encrypted = new Binary(this.addresses.encrypt(email));
    await this.mongo.transaction((tx) => tx.addTask(PASSWORD_RESET_REQUESTED, encrypted));
  }

  /**
   * Ends every session and API token, invalidates other links, except an undo of the address, and verifies the address: its mail was read.
   * If the address was unverified, this removes the other sign-in methods.
   * @throws CodedError `invalid_reset_token`, `overloaded`
   */
  async reset({ token, password }: ResetPasswordBody, client: ClientInfo): Promise<void> {
    this.passwords.requireCapacity();
    // A wrong token costs a read, not a hash.
    const found = await this.tokens.find(PASSWORD_RESET, token);
    if (found === null) throw invalidResetToken();
    const passwordHash = await this.passwords.hash(password);
    await this.mongo.transaction(async (tx) => {
      const used = await this.tokens.use(PASSWORD_RESET, token, tx);
      const credential = used === null ? null : await this.credentials.findById(used.userId, tx);
      if (credential === null || credential.email !== used?.data.email) throw invalidResetToken();
      const { _id: userId, email } = credential;
      await this.credentials.changePassword(credential, passwordHash, tx);
      // A stranger may have registered with the unverified address and added sign-in methods.
      if (!(credential.emailVerifiedAt instanceof Date)) await this.methods.deleteAddedSince(userId, new Date(0), tx);
      await this.credentials.verifyEmail(userId, tx);
      await this.tokens.deleteOthers(userId, KEPT_TOKENS, tx);
      await this.mails.send('passwordChanged', email, tx);
      // This session ends with the others, but records the network: the owner can sign in from here while others guess.
      await this.sessions.open(userId, client, tx);
      // A thief of the account may have created API tokens.
      await this.revocations.revokeOf(userId, tx);
    });
  }

  /** May run again after a kill, which sends two mails, each with a valid link. */
  async sendLink(encrypted: Binary): Promise<void> {
    const email = this.addresses.decrypt(encrypted.buffer) as string | null;
    const credential = email === null ? null : await this.credentials.findByEmail(email);
    if (email === null || credential === null) return;
    await this.mongo.transaction(async (tx) => {
      const token = await this.tokens.issue(PASSWORD_RESET, credential._id, { email }, tx);
      await this.mails.send('passwordReset', email, tx, token);
    });
  }
}

function invalidResetToken(): CodedError {
  return new CodedError('invalid_reset_token', 'The link is unknown, expired or used. Request a new one.');
}
