import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Binary, type ClientSession } from 'mongodb';
import { canonicalAddress, mailboxOf } from '../../common/canonical-address.js';
import { Encryptor } from '../../common/encryptor.js';
import { AppConfig } from '../../config/app-config.js';
import type { Topic } from '../events/topic.js';
import { WorkQueue } from '../work-queue/work-queue.js';
import type { MailMessage, MailText } from './mail-message.js';

export type QueuedMail = Pick<MailMessage, 'ifTooMany' | 'goodUntil'> & {
  /** keyed hash of the address and of the kind of mail */
  recipient: Binary;
  /** the encrypted address and text */
  sealed: Binary;
};
export const MAIL: Topic<QueuedMail> = { name: 'mail' };

export type MailContent = MailText & { to: string };

const RECIPIENT_BYTES = 16;

/** Adds a mail as a task of the transaction that causes it. The jobs process sends the mail after the commit (MailSender). */
@Injectable()
export class MailService {
  private readonly content: Encryptor;
  private readonly secret: string;

  constructor(
    private readonly tasks: WorkQueue,
    { auth }: AppConfig,
  ) {
    this.content = new Encryptor(auth.tokenSecrets, 'mail');
    this.secret = auth.tokenSecrets[0];
  }

  async send(message: MailMessage, session: ClientSession): Promise<void> {
    await this.sendMany([message], session);
  }

  async sendMany(messages: readonly MailMessage[], session: ClientSession): Promise<void> {
    const queued = messages.map(({ to, ifTooMany, countedAs, goodUntil, ...text }): QueuedMail => {
      const content: MailContent = { to, ...text };
      const recipient = this.recipientOf(to, `${ifTooMany} ${countedAs ?? ''}`);
      return { recipient, sealed: new Binary(this.content.encrypt(content)), ifTooMany, goodUntil };
    });
    await this.tasks.addMany(session, MAIL, queued);
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
