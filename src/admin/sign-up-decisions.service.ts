import { Injectable } from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import { AccountMails } from '../auth/account-mails.js';
import { AccountCreationService } from '../auth/account-creation.service.js';
import { EmailConfirmations } from '../auth/email-confirmations.js';
import { IdentitiesService } from '../auth/providers/identities.service.js';
import { ModerationLogService } from '../moderation/moderation-log.service.js';
import type { Viewer } from '../platform/access/viewer.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { AccountNetworksService } from '../registration/account-networks.service.js';
import { SignUpsService } from '../registration/sign-ups.service.js';

/** Approves and rejects pending registrations. The decision, its mail and its log entry commit together. */
@Injectable()
export class SignUpDecisionsService {
  constructor(
    private readonly mongo: MongoService,
    private readonly signUps: SignUpsService,
    private readonly networks: AccountNetworksService,
    private readonly creation: AccountCreationService,
    private readonly identities: IdentitiesService,
    private readonly confirmations: EmailConfirmations,
    private readonly mails: AccountMails,
    private readonly log: ModerationLogService,
  ) {}

  /**
   * Creates the account. Also sends a confirmation mail, unless an identity provider has verified the address.
   * @throws CodedError `sign_up_not_found`; `username_taken`, `email_taken` when another account has taken them since
   */
  async approve(by: Viewer, id: ObjectId): Promise<void> {
    await this.mongo.transaction(async (tx) => {
      const { _id, username, fullName, email, passwordHash, identity } = await this.signUps.deleteDecided(id, tx);
      const emailVerifiedAt = identity === null ? null : new Date();
      const account = { _id, username, fullName, email, passwordHash, emailVerifiedAt };
      const { credential } = await this.creation.create(account, tx);
      if (identity === null) await this.confirmations.send(credential, email, tx);
      else await this.identities.insert(identity, _id, email, tx);
      await this.mails.send('signUpApproved', email, tx);
      await this.record(by, 'approve_sign_up', id, tx);
    });
  }

  /** Deletes the registration with all its data. @throws CodedError `sign_up_not_found` */
  async reject(by: Viewer, id: ObjectId): Promise<void> {
    await this.mongo.transaction(async (tx) => {
      const { email } = await this.signUps.deleteDecided(id, tx);
      await this.networks.delete(id, tx);
      await this.mails.send('signUpRejected', email, tx);
      await this.record(by, 'reject_sign_up', id, tx);
    });
  }

  private record(
    by: Viewer,
    kind: 'approve_sign_up' | 'reject_sign_up',
    targetId: ObjectId,
    tx: Transaction,
  ): Promise<void> {
    return this.log.record({ by, kind, targetKind: 'sign_up', targetId }, tx);
  }
}
