import { Injectable } from '@nestjs/common';
import { AccountMails } from './account-mails.js';
import type { Credential } from './credential.schema.js';
import { OneTimeTokensService } from './one-time-tokens.service.js';
import { EMAIL_CONFIRMATION } from './token-kinds.js';
import type { Transaction } from '../platform/mongo/transaction.js';

/** Sends the mail with which the reader of an address confirms the address for the account. */
@Injectable()
export class EmailConfirmations {
  constructor(
    private readonly tokens: OneTimeTokensService,
    private readonly mails: AccountMails,
  ) {}

  /** @param isTaken true if another account has the address: the mail reports that instead, at the same cost */
  async send(
    { _id, email: from }: Pick<Credential, '_id' | 'email'>,
    email: string,
    tx: Transaction,
    isTaken = false,
  ): Promise<void> {
    const token = await this.tokens.issue(EMAIL_CONFIRMATION, _id, { from, email }, tx);
    await (isTaken ? this.mails.send('emailTaken', email, tx) : this.mails.send('confirmEmail', email, tx, token));
  }
}
