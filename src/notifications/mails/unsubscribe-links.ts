import { Injectable } from '@nestjs/common';
import { Encryptor } from '../../common/encryptor.js';
import { AppConfig } from '../../config/app-config.js';
import { NOTIFICATION_KINDS, type NotificationKind } from '../notification-kinds.js';

/** the kind of mails that an unsubscribe link turns off */
export type MailSubject = NotificationKind | 'digest';
export type Unsubscription = { userId: string; from: MailSubject };

/** `max` is the length of the longest kind's token. */
export const UNSUBSCRIBE_TOKEN = { max: 160, pattern: /^[A-Za-z0-9_-]{40,160}$/ };

/** Creates stateless unsubscribe links. A token is the encrypted account and kind, valid until its secret is removed. */
@Injectable()
export class UnsubscribeLinks {
  private readonly encryptor: Encryptor;
  private readonly api: string;

  constructor({ auth, site }: AppConfig) {
    this.encryptor = new Encryptor(auth.tokenSecrets, 'unsubscribe');
    this.api = site.api;
  }

  to(unsubscription: Unsubscription): string {
    return `${this.api}/v1/mail/unsubscribe/${this.encryptor.encrypt(unsubscription).toString('base64url')}`;
  }

  /** Returns null for a token that this server did not issue. */
  open(token: string): Unsubscription | null {
    const found = this.encryptor.decrypt(Buffer.from(token, 'base64url')) as Unsubscription | null;
    const isKnown = found !== null && (found.from === 'digest' || NOTIFICATION_KINDS.includes(found.from));
    return isKnown ? found : null;
  }
}
