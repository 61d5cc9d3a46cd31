import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Binary, type ClientSession, ObjectId } from 'mongodb';
import { canonicalAddress, mailboxOf } from '../../common/canonical-address.js';
import { Sealed } from '../../common/sealed.js';
import { AppConfig } from '../../config/app-config.js';
import { MongoService } from '../mongo/mongo.service.js';
import type { Topic } from '../events/topic.js';
import { EventPublisher } from '../events/event-publisher.js';
import { type QueuedMail, QueuedMailSchema } from './mail.schema.js';
import type { MailMessage, MailText } from './mail-message.js';

/** There is a mail to send. */
export const MAIL_WAITING: Topic<null> = { name: 'mail.waiting' };

export type MailContent = MailText & { to: string };

const RECIPIENT_BYTES = 16;

/** Adds mails as rows of the caller's transaction; the jobs process sends them soon after the commit. */
@Injectable()
export class MailService {
  private readonly content: Sealed;
  private readonly secret: string;

  constructor(
    private readonly mongo: MongoService,
    private readonly events: EventPublisher,
    { auth }: AppConfig,
  ) {
    this.content = new Sealed(auth.tokenSecrets, 'mail');
    this.secret = auth.tokenSecrets[0];
  }

  async send({ to, ifTooMany, countedAs, goodUntil, ...text }: MailMessage, session: ClientSession): Promise<void> {
    const content: MailContent = { to, ...text };
    const now = new Date();
    const row: QueuedMail = {
      _id: new ObjectId(),
      recipient: this.recipientOf(to, countedAs),
      sealed: new Binary(this.content.seal(content)),
      state: 'waiting',
      ifTooMany,
      attempts: 0,
      // due at any clock of the database
      nextAt: new Date(0),
      triedAt: null,
      goodUntil,
      lastError: null,
      createdAt: now,
    };
    await this.mongo.batch.insert(this.mongo.collection(QueuedMailSchema), [row], session);
    await this.events.publish(session, MAIL_WAITING, null);
  }

  /** Returns null if it was encrypted with a secret that is no longer configured. */
  contentOf({ sealed }: QueuedMail): MailContent | null {
    return sealed === undefined ? null : (this.content.open(sealed.buffer) as MailContent | null);
  }

  /** By mailbox, so that `name+1@`, `name+2@` … share one limit. No kind has a space in it. */
  private recipientOf(address: string, kind = ''): Binary {
    const mailbox = mailboxOf(canonicalAddress(address) ?? address);
    const mac = createHmac('sha256', `recipient:${this.secret}`).update(`${kind} ${mailbox}`).digest();
    return new Binary(mac.subarray(0, RECIPIENT_BYTES));
  }
}
