import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Binary } from 'mongodb';
import { canonicalAddress, mailboxOf } from '../../common/canonical-address.js';
import { Encryptor } from '../../common/encryptor.js';
import { AppConfig } from '../../config/app-config.js';
import type { Topic } from '../../common/topic.js';
import type { MailMessage, MailText } from './mail-message.js';
import type { Transaction } from '../mongo/transaction.js';
import type { Lane, TaskKey } from '../mongo/transaction-rows.js';

export type QueuedMail = Pick<MailMessage, 'ifTooMany' | 'goodUntil'> & {
  /** keyed hash of the address and of the kind of mail */
  recipient: Binary;
  /** the encrypted address and text */
  sealed: Binary;
};
export const MAIL: Topic<QueuedMail> = { name: 'mail' };

export type MailContent = MailText & Pick<MailMessage, 'account'> & { to: string };

type CanReceive = (accountId: string) => Promise<boolean>;

const RECIPIENT_BYTES = 16;

/** Adds a mail as a task of the transaction that causes it. The jobs process sends the mail after the commit (MailSender). */
@Injectable()
export class MailService {
  private readonly content: Encryptor;
  private readonly secret: string;
  private canReceive: CanReceive = () => Promise.resolve(true);

  constructor({ auth }: AppConfig) {
    this.content = new Encryptor(auth.tokenSecrets, 'mail');
    this.secret = auth.tokenSecrets[0];
  }

  /** NotificationsModule registers here which accounts get mails about others. */
  checkRecipientsWith(canReceive: CanReceive): void {
    this.canReceive = canReceive;
  }

  /** Whether the account may still get the mail. A mail can wait in the queue for a day. */
  async isAllowed({ account }: MailContent): Promise<boolean> {
    return account === undefined || this.canReceive(account);
  }

  async send(message: MailMessage, tx: Transaction): Promise<void> {
    await this.sendMany([message], tx);
  }

  async sendMany(messages: readonly MailMessage[], tx: Transaction): Promise<void> {
    const awaited = messages.filter(({ unsubscribe }) => unsubscribe === undefined);
    await this.queue(awaited, 'mail', tx);
    // A mail from which one can unsubscribe does not delay a mail that a person waits for.
    await this.queue(
      messages.filter(({ unsubscribe }) => unsubscribe !== undefined),
      'mailBulk',
      tx,
    );
  }

  private async queue(messages: readonly MailMessage[], lane: Lane, tx: Transaction): Promise<void> {
    const keys = new Map<QueuedMail, TaskKey[]>();
    for (const { to, ifTooMany, countedAs = '', goodUntil, ...text } of messages) {
      const content: MailContent = { to, ...text };
      const recipient = this.recipientOf(to, `${ifTooMany} ${countedAs}`);
      const sealed = new Binary(this.content.encrypt(content));
      const mailbox = Buffer.from(recipient.buffer).toString('base64url');
      const cause: TaskKey[] = countedAs === '' ? [] : [`cause:${countedAs}`];
      keys.set({ recipient, sealed, ifTooMany, goodUntil }, [`account:${mailbox}`, ...cause]);
    }
    tx.addTasks(MAIL, [...keys.keys()], { lane, keysOf: (mail) => keys.get(mail)! });
  }

  /** Returns null if the mail was encrypted with a secret that is no longer configured. */
  contentOf({ sealed }: QueuedMail): MailContent | null {
    return this.content.decrypt(sealed.buffer) as MailContent | null;
  }

  /** Hashes the mailbox, so that `name+1@`, `name+2@` … share one limit. */
  private recipientOf(address: string, kind: string): Binary {
    const mailbox = mailboxOf(canonicalAddress(address) ?? address);
    const mac = createHmac('sha256', `recipient:${this.secret}`).update(`${kind} ${mailbox}`).digest();
    return new Binary(mac.subarray(0, RECIPIENT_BYTES));
  }
}
