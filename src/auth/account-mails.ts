import { Injectable } from '@nestjs/common';
import { AppConfig } from '../config/app-config.js';
import type { MailMessage } from '../platform/mail/mail-message.js';
import { MailService } from '../platform/mail/mail.service.js';
import { EMAIL_CONFIRMATION, EMAIL_UNDO, PASSWORD_RESET } from './token-kinds.js';
import type { Transaction } from '../platform/mongo/transaction.js';

/** The reader's action: a page, whose URL ends with the token. `isOfApi`: the token is a path of this server. */
type Action = { page: string; ttlMs: number; isOfApi?: true };
type Words = Pick<MailMessage, 'subject' | 'paragraphs' | 'ifTooMany'> & {
  action?: Action;
  /** counted apart: strangers can trigger this mail, and must not use up the limit of other mails */
  isCountedAlone?: boolean;
};

/** Mails about changes are retried for this time, because an SMTP server may be down. */
export const NEWS_MS = 72 * 3_600_000;

const CHOOSE_PASSWORD: Action = {
  page: 'reset-password#token=',
  ttlMs: PASSWORD_RESET.ttlMs,
};
const NOT_YOU = 'If this was not you, reset your password now. This ends all sessions and API tokens of the account.';

/** Mails contain no user text: a spammer could put an advertisement into a name and have it mailed to any address. */
export const MAILS = {
  passwordReset: {
    subject: 'Choose a new password',
    paragraphs: [
      'You requested a new password for the account with this e-mail address. The following is valid once, for an hour.',
      'If you did not request it, ignore this mail: your password is unchanged.',
    ],
    ifTooMany: 'drop',
    isCountedAlone: true,
    action: CHOOSE_PASSWORD,
  },
  confirmEmail: {
    subject: 'Confirm your e-mail address',
    paragraphs: [
      'Confirm that this e-mail address of your account is yours. The following is valid once, for 24 hours.',
      'If you have no account here, ignore this mail.',
    ],
    ifTooMany: 'drop',
    isCountedAlone: true,
    action: {
      page: 'confirm-email#token=',
      ttlMs: EMAIL_CONFIRMATION.ttlMs,
    },
  },
  signUpApproved: {
    subject: 'Your account was approved',
    paragraphs: ['Your account was approved. You can sign in from now on.', 'If this was not you, ignore this mail.'],
    ifTooMany: 'wait',
    isCountedAlone: true,
  },
  signUpRejected: {
    subject: 'Your account was not approved',
    paragraphs: [
      'A moderator rejected your registration. There is no account, and the data of your registration was deleted.',
      'If this was not you, ignore this mail.',
    ],
    ifTooMany: 'wait',
    isCountedAlone: true,
  },
  emailTaken: {
    subject: 'You already have an account',
    paragraphs: [
      'Someone tried to use this e-mail address for another account, but it belongs to your account. Nothing was changed.',
      'If this was you and you have forgotten the account, reset the password with this address.',
      'If this was not you, ignore this mail.',
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
    subject: 'Your e-mail address was changed',
    paragraphs: [
      'Your account has a new e-mail address. We send mails to the new address from now on.',
      'If this was not you, sign in with your username, choose a new password, and change the address back.',
    ],
    ifTooMany: 'wait',
  },
  emailChangedUndo: {
    subject: 'Your e-mail address was changed',
    paragraphs: [
      'Your account has a new e-mail address. We send mails to the new address from now on.',
      'If this was not you, undo the change: the following is valid for 72 hours. It restores this address, ends the password, all ' +
        'sessions and API tokens, and removes passkeys, linked providers and an authenticator app that were added since the day ' +
        'before the change. You then get a mail to choose a new password.',
    ],
    ifTooMany: 'send',
    action: {
      page: 'undo-email#token=',
      ttlMs: EMAIL_UNDO.ttlMs,
    },
  },
  emailTakenBack: {
    subject: 'Your account was recovered',
    paragraphs: [
      'Your account has this e-mail address again. All sessions and API tokens have ended, and the old password is no longer valid.',
      'Passkeys, linked providers and an authenticator app that were added since the day before the change were removed. Check the ' +
        'remaining ones.',
      'Choose a new password. The following is valid once, for an hour; you can request another one later.',
    ],
    ifTooMany: 'send',
    action: CHOOSE_PASSWORD,
  },
  emailLost: {
    subject: 'An account no longer has your e-mail address',
    paragraphs: [
      'The change to this e-mail address was undone. The account has its previous address again.',
      'If this was not you, contact the operators of the site.',
    ],
    ifTooMany: 'wait',
  },
  secondFactorOn: {
    subject: 'Two-factor authentication was turned on',
    paragraphs: ['From now on you need a code of your authenticator app to sign in with your password.', NOT_YOU],
    ifTooMany: 'wait',
  },
  secondFactorOff: {
    subject: 'Two-factor authentication was turned off',
    paragraphs: ['From now on you sign in with your password only.', NOT_YOU],
    ifTooMany: 'wait',
  },
  recoveryCodeUsed: {
    subject: 'A recovery code of your account was used',
    paragraphs: ['Someone used one of your recovery codes instead of a code of your authenticator app.', NOT_YOU],
    ifTooMany: 'wait',
  },
  recoveryCodesMade: {
    subject: 'Your account has new recovery codes',
    paragraphs: ['New recovery codes were created. The old ones are no longer valid.', NOT_YOU],
    ifTooMany: 'wait',
  },
  wrongCodes: {
    subject: 'Someone knows your password',
    paragraphs: [
      'Someone entered your password and then several wrong codes. The sign-in was rejected.',
      'If this was not you, someone else knows your password: choose a new one.',
    ],
    ifTooMany: 'wait',
    isCountedAlone: true,
  },
  passkeyAdded: {
    subject: 'Your account has a new passkey',
    paragraphs: [
      'A passkey was added to your account. You can sign in with it without a password.',
      `${NOT_YOU} Then remove the passkey.`,
    ],
    ifTooMany: 'wait',
  },
  apiTokenMade: {
    subject: 'Your account has a new API token',
    paragraphs: ['An API token was created. A program can use it to act for your account.', NOT_YOU],
    ifTooMany: 'wait',
  },
  passkeyRemoved: {
    subject: 'A passkey was removed from your account',
    paragraphs: ['A passkey was removed from your account and can no longer sign in.', NOT_YOU],
    ifTooMany: 'wait',
  },
  webhookDisabled: {
    subject: 'A webhook of your account was disabled',
    paragraphs: [
      'A webhook of your account was disabled: its receiver has accepted no event for three days, or has responded that it no longer ' +
        'wants any.',
      'Check the receiver, and enable the webhook again with your program or the API.',
      'If you have no webhook, someone else used your account: reset your password now.',
    ],
    ifTooMany: 'wait',
  },
  exportReady: {
    subject: 'Your export is ready',
    paragraphs: ['The data of your account is ready as a ZIP file. Sign in to download it within seven days.', NOT_YOU],
    ifTooMany: 'wait',
    action: { page: 'exports/', ttlMs: NEWS_MS },
  },
  exportLink: {
    subject: 'Your export is ready',
    paragraphs: [
      'The data of your account is ready as a ZIP file. The following link is valid for seven days, without signing in.',
      'Everyone with the link can read the file. If you did not request it, contact the operators of the site.',
    ],
    ifTooMany: 'wait',
    action: { page: '', ttlMs: NEWS_MS, isOfApi: true },
  },
} as const satisfies Record<string, Words>;

export type AccountMail = keyof typeof MAILS;

/** Sends mails about accounts. Over the limit of an address, mails that anyone can request are dropped; mails about changes are not. */
@Injectable()
export class AccountMails {
  private readonly site: AppConfig['site'];

  constructor(
    private readonly mails: MailService,
    config: AppConfig,
  ) {
    this.site = config.site;
  }

  /** @param token for the link of the mail; for an export its id */
  async send(name: AccountMail, to: string, tx: Transaction, token = ''): Promise<void> {
    const { action, isCountedAlone = false, ...words }: Words = MAILS[name];
    const counted = isCountedAlone ? { countedAs: name } : {};
    const goodUntil = new Date(Date.now() + (action?.ttlMs ?? NEWS_MS));
    const link = action === undefined ? {} : { link: this.linkOf(action, token) };
    await this.mails.send({ to, goodUntil, ...counted, ...words, ...link }, tx);
  }

  /** Puts the token into the URL fragment, which reaches no server log and no Referer header. */
  private linkOf({ page, isOfApi }: Action, token: string): string {
    return isOfApi === true ? `${this.site.api}${token}` : `${this.site.mailPages}/${page}${token}`;
  }
}
