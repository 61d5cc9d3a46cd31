import { Injectable } from '@nestjs/common';
import type { ClientSession } from 'mongodb';
import { AppConfig } from '../config/app-config.js';
import type { MailMessage } from '../platform/mail/mail-message.js';
import { MailService } from '../platform/mail/mail.service.js';
import { EMAIL_CONFIRMATION, EMAIL_UNDO, PASSWORD_RESET } from './token-kinds.js';

/** The action of the reader: on a page of the site (its URL ends with the token), or by a request if there is no site. */
type Action = { page: string; request: string; ttlMs: number };
type Words = Pick<MailMessage, 'subject' | 'paragraphs' | 'ifTooMany'> & {
  action?: Action;
  /** others can trigger this mail, so it must not displace other mails to the address */
  isCountedAlone?: boolean;
};

/** Mails about changes are retried for this long, because an SMTP server may be down. */
export const NEWS_MS = 72 * 3_600_000;

const CHOOSE_PASSWORD: Action = {
  page: 'reset-password#token=',
  request: 'PUT /v1/auth/password-reset {"token": "…", "password": "…"} with this token',
  ttlMs: PASSWORD_RESET.ttlMs,
};
const NOT_YOU = 'If this was not you, ask for a new password now: it ends every sign-in and API token of the account.';

/** Mails contain no text of users: a name could be an advertisement, sent by us to an address of its author's choice. */
const MAILS = {
  passwordReset: {
    subject: 'Choose a new password',
    paragraphs: [
      'A new password was asked for, for the account with this e-mail address. The following is good for an hour, once.',
      'If you did not ask for it, you need not do anything: your password stays as it is.',
    ],
    ifTooMany: 'drop',
    isCountedAlone: true,
    action: CHOOSE_PASSWORD,
  },
  confirmEmail: {
    subject: 'Confirm your e-mail address',
    paragraphs: [
      'This e-mail address was given for an account. Confirm that it is yours; the following is good for 24 hours, once.',
      'If you did not give it, you need not do anything.',
    ],
    ifTooMany: 'drop',
    isCountedAlone: true,
    action: {
      page: 'confirm-email#token=',
      request: 'PUT /v1/auth/email-verification {"token": "…"} with this token',
      ttlMs: EMAIL_CONFIRMATION.ttlMs,
    },
  },
  emailTaken: {
    subject: 'You have an account already',
    paragraphs: [
      'Another account was to get this e-mail address, which belongs to an account already. Nothing was changed.',
      'If this was you and you do not remember the account, ask for a new password with this address.',
    ],
    ifTooMany: 'drop',
    isCountedAlone: true,
  },
  passwordChanged: {
    subject: 'Your password was changed',
    paragraphs: ['The password of the account with this e-mail address was changed.', NOT_YOU],
    ifTooMany: 'wait',
  },
  emailChanged: {
    subject: 'Your account has another e-mail address',
    paragraphs: ['The account that had this e-mail address has another one now. Mails will go there.'],
    ifTooMany: 'wait',
  },
  emailChangedUndo: {
    subject: 'Your account has another e-mail address',
    paragraphs: [
      'The account that had this e-mail address has another one now. Mails will go there.',
      'If this was not you, take the account back: the following is good for 72 hours. It gives the account this address again, ends ' +
        'its password, every sign-in and API token, and removes passkeys, linked providers and an authenticator app that were added ' +
        'since the day before the change. You get a mail to choose a new password.',
    ],
    ifTooMany: 'send',
    action: {
      page: 'undo-email#token=',
      request: 'PUT /v1/auth/email/undo {"token": "…"} with this token',
      ttlMs: EMAIL_UNDO.ttlMs,
    },
  },
  emailTakenBack: {
    subject: 'Your account was taken back',
    paragraphs: [
      'Your account has this e-mail address again. Every sign-in and API token has ended, and the password that it had is good ' +
        'no longer.',
      'Passkeys, linked providers and an authenticator app that were added since the day before the change are removed; look at ' +
        'those that are left.',
      'Choose a new password; the following is good for an hour, once. Later you can ask for another one.',
    ],
    ifTooMany: 'send',
    action: CHOOSE_PASSWORD,
  },
  emailLost: {
    subject: 'An account no longer has your e-mail address',
    paragraphs: ['The account that had this e-mail address was given back to the one that it had before.'],
    ifTooMany: 'wait',
  },
  secondFactorOn: {
    subject: 'Signing in asks for a second factor now',
    paragraphs: ['From now on your password needs a code of your authenticator app beside it.', NOT_YOU],
    ifTooMany: 'wait',
  },
  secondFactorOff: {
    subject: 'Signing in asks for no second factor any more',
    paragraphs: ['From now on the password of your account is enough to sign in.', NOT_YOU],
    ifTooMany: 'wait',
  },
  recoveryCodeUsed: {
    subject: 'A recovery code of your account was used',
    paragraphs: ['One of your recovery codes was used in place of a code of your authenticator app.', NOT_YOU],
    ifTooMany: 'wait',
  },
  recoveryCodesMade: {
    subject: 'Your account has new recovery codes',
    paragraphs: ['New recovery codes were made; the earlier ones are good no longer.', NOT_YOU],
    ifTooMany: 'wait',
  },
  wrongCodes: {
    subject: 'Your password is known to one who has no code',
    paragraphs: [
      'The right password of your account was given, and then a wrong code several times. The sign-in was refused.',
      'If this was not you, your password is known to others: choose a new one.',
    ],
    ifTooMany: 'wait',
    isCountedAlone: true,
  },
  passkeyAdded: {
    subject: 'Your account has a new passkey',
    paragraphs: [
      'A passkey was added to your account. It signs in without the password.',
      `${NOT_YOU} Then remove the passkey.`,
    ],
    ifTooMany: 'wait',
  },
  apiTokenMade: {
    subject: 'Your account has a new API token',
    paragraphs: ['An API token was made, with which a program acts for your account.', NOT_YOU],
    ifTooMany: 'wait',
  },
  passkeyRemoved: {
    subject: 'A passkey was removed from your account',
    paragraphs: ['A passkey of your account was removed, and signs in no longer.', NOT_YOU],
    ifTooMany: 'wait',
  },
  exportReady: {
    subject: 'Your export is ready',
    paragraphs: [
      'Everything your account holds is ready as a ZIP file, which is kept for seven days. Sign in to download it.',
    ],
    ifTooMany: 'wait',
    action: { page: 'exports/', request: 'GET /v1/users/me/exports/{id} with this id', ttlMs: NEWS_MS },
  },
} as const satisfies Record<string, Words>;

export type AccountMail = keyof typeof MAILS;

/** The mails about accounts. Above the limit of an address, mails that anyone may request are dropped; mails about changes are sent. */
@Injectable()
export class AccountMails {
  private readonly siteUrl: string | undefined;

  constructor(
    private readonly mails: MailService,
    config: AppConfig,
  ) {
    this.siteUrl = config.site.url;
  }

  /** @param token for the link of the mail; for an export its id */
  async send(name: AccountMail, to: string, session: ClientSession, token = ''): Promise<void> {
    const { action, isCountedAlone = false, ...words }: Words = MAILS[name];
    const counted = isCountedAlone ? { countedAs: name } : {};
    const goodUntil = new Date(Date.now() + (action?.ttlMs ?? NEWS_MS));
    const message = action === undefined ? words : { ...words, ...this.told(words.paragraphs, action, token) };
    await this.mails.send({ to, goodUntil, ...counted, ...message }, session);
  }

  /** A fragment of a URL is in no server log and in no Referer header. */
  private told(
    paragraphs: string[],
    { page, request }: Action,
    token: string,
  ): Pick<MailMessage, 'paragraphs' | 'link'> {
    if (this.siteUrl !== undefined) return { paragraphs, link: `${this.siteUrl}/${page}${token}` };
    return { paragraphs: [...paragraphs, `Send ${request}:`], link: token };
  }
}
