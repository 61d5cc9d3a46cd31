import { Injectable } from '@nestjs/common';
import { Sealed } from '../common/sealed.js';
import { AppConfig } from '../config/app-config.js';
import { NOTIFICATION_KINDS, type NotificationKind } from './notification-id.js';

/** What a mail is about, and what its link ends. */
export type MailSubject = NotificationKind | 'digest';
export type Unsubscription = { userId: string; from: MailSubject };

/** The longest token is that of the longest kind. */
export const UNSUBSCRIBE_TOKEN = { max: 160, pattern: /^[A-Za-z0-9_-]{40,160}$/ };

/** Links that need no sign-in and no row: the token is the encrypted account and kind. It is valid as long as its secret. */
@Injectable()
export class UnsubscribeLinks {
  private readonly sealed: Sealed;
  private readonly api: string;

  constructor({ auth, site }: AppConfig) {
    this.sealed = new Sealed(auth.tokenSecrets, 'unsubscribe');
    this.api = site.api;
  }

  to(unsubscription: Unsubscription): string {
    return `${this.api}/v1/mail/unsubscribe/${this.sealed.seal(unsubscription).toString('base64url')}`;
  }

  /** Null for a token that this server has not made. */
  open(token: string): Unsubscription | null {
    const found = this.sealed.open(Buffer.from(token, 'base64url')) as Unsubscription | null;
    const isKnown = found !== null && (found.from === 'digest' || NOTIFICATION_KINDS.includes(found.from));
    return isKnown ? found : null;
  }
}
