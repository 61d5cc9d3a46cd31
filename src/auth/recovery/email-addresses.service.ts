import { Injectable } from '@nestjs/common';
import { AccountMails } from '../account-mails.js';
import { AdmissionService } from '../admission.service.js';
import { PasswordsService, wrongPassword } from '../passwords.service.js';
import type { ClientInfo } from '../client-info.js';
import { CredentialsService } from '../credentials.service.js';
import { EmailConfirmations } from '../email-confirmations.js';
import { TokenRevocations } from '../token-revocations.js';
import { OneTimeTokensService } from '../one-time-tokens.service.js';
import { SignInMethods } from '../sign-in-methods.js';
import { EMAIL_CONFIRMATION, EMAIL_UNDO, PASSWORD_RESET } from '../token-kinds.js';
import { CodedError } from '../../common/errors.js';
import type { Viewer } from '../../platform/access/viewer.js';
import { MongoService } from '../../platform/mongo/mongo.service.js';
import type { ChangeEmailBody } from './dto/recovery.dto.js';

/** Longer than the lifetime of the token, so that the address is still reserved when the token is used at its last moment. */
const RESERVATION_MS = EMAIL_UNDO.ttlMs + 60_000;

/** The e-mail address of an account: its verification, its change, and the recovery of an owner after a takeover. */
@Injectable()
export class EmailAddressesService {
  constructor(
    private readonly mongo: MongoService,
    private readonly passwords: PasswordsService,
    private readonly credentials: CredentialsService,
    private readonly confirmations: EmailConfirmations,
    private readonly admission: AdmissionService,
    private readonly methods: SignInMethods,
    private readonly tokens: OneTimeTokensService,
    private readonly revocations: TokenRevocations,
    private readonly mails: AccountMails,
  ) {}

  /** @throws CodedError `user_not_found` */
  async requestVerification(viewer: Viewer): Promise<void> {
    await this.mongo.transaction(async (tx) => {
      const credential = await this.credentials.findById(viewer._id, tx);
      if (credential === null) throw new CodedError('user_not_found', 'The account was deleted.');
      if (credential.emailVerifiedAt instanceof Date) return;
      await this.confirmations.send(credential, credential.email, tx);
    });
  }

  /**
   * Sends a confirmation to the new address. The response is the same whether or not another account has the address.
   * @throws CodedError `invalid_credentials`, `recent_sign_in_required`, `email_changed_lately`, `mail_domain_refused`, `rate_limited`,
   * `overloaded`
   */
  async change(viewer: Viewer, { email, password }: ChangeEmailBody, client: ClientInfo): Promise<void> {
    const credential = await this.passwords.requireRecentProof(viewer, 'password', password, client);
    requireSettled(credential.heldUntil);
    await this.admission.requireRecipient(email, client.address);
    const isTaken = await this.credentials.isTaken(email, credential._id);
    await this.mongo.serializedTransaction(viewer.id, async (tx) => {
      // The link changes the address without a further proof.
      if (!(await this.credentials.lockUnchanged(credential, tx))) throw wrongPassword('password');
      await this.confirmations.send(credential, email, tx, isTaken);
    });
  }

  /**
   * Verifies or changes the address. A verified previous address is reserved for its account, and its reader can undo the change.
   * @throws CodedError `invalid_email_token`, `email_changed_lately`, `email_taken`
   */
  async confirm(token: string): Promise<void> {
    await this.mongo.transaction(async (tx) => {
      const used = await this.tokens.use(EMAIL_CONFIRMATION, token, tx);
      const credential = used === null ? null : await this.credentials.findById(used.userId, tx);
      if (used === null || credential?.email !== used.data.from) throw invalidEmailToken();
      const { userId, data } = used;
      if (data.email === data.from) return this.credentials.verifyEmail(userId, tx);
      requireSettled(credential.heldUntil);
      // An unverified address may be misspelled, so its reader must get no access to the account.
      const canUndo = credential.emailVerifiedAt instanceof Date;
      const heldUntil = canUndo ? new Date(Date.now() + RESERVATION_MS) : null;
      await this.credentials.setEmail(credential, data.email, heldUntil, tx);
      await this.tokens.deleteOf(userId, tx);
      if (!canUndo) return this.mails.send('emailChanged', data.from, tx);
      const undo = await this.tokens.issue(EMAIL_UNDO, userId, { email: data.from }, tx);
      return this.mails.send('emailChangedUndo', data.from, tx, undo);
    });
  }

  /**
   * Restores the previous address and removes all that a thief may use: the password, sessions, API tokens, sent links and recently added
   * sign-in methods. The owner gets a mail to choose a new password.
   * @throws CodedError `invalid_email_token`; `email_taken` when the address is no longer reserved
   */
  async undo(token: string): Promise<void> {
    await this.mongo.transaction(async (tx) => {
      const used = await this.tokens.use(EMAIL_UNDO, token, tx);
      const credential = used === null ? null : await this.credentials.findById(used.userId, tx);
      if (used === null || credential === null) throw invalidEmailToken();
      const { userId, data } = used;
      await this.credentials.setEmail(credential, data.email, null, tx);
      await this.credentials.changePassword(credential, null, tx);
      await this.tokens.deleteOf(userId, tx);
      const reset = await this.tokens.issue(PASSWORD_RESET, userId, data, tx);
      await this.mails.send('emailTakenBack', data.email, tx, reset);
      await this.mails.send('emailLost', credential.email, tx);
      await this.methods.deleteAddedSince(userId, untrustedSince(credential.heldUntil), tx);
      await this.revocations.revokeOf(userId, tx);
    });
  }
}

/** Refuses a change while the previous one can be undone: otherwise a thief could void the owner's undo link by a second change. */
function requireSettled(heldUntil: Date | null = null): void {
  const leftMs = (heldUntil?.getTime() ?? 0) - Date.now();
  if (leftMs <= 0) return;
  const hours = Math.ceil(leftMs / 3_600_000);
  throw new CodedError(
    'email_changed_lately',
    `The address was changed recently. It can be changed again in ${hours} h, or undone by the link in the mail.`,
  );
}

/** A change is requested at most one link lifetime before it takes effect. Sign-in methods added since then may be a thief's. */
function untrustedSince(heldUntil: Date | null = null): Date {
  const changedAt = (heldUntil?.getTime() ?? Date.now()) - RESERVATION_MS;
  return new Date(changedAt - EMAIL_CONFIRMATION.ttlMs);
}

function invalidEmailToken(): CodedError {
  return new CodedError('invalid_email_token', 'The link is unknown, expired or used.');
}
