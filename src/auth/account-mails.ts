import { Injectable } from '@nestjs/common';
import type { ClientSession } from 'mongodb';
import type { MailMessage } from '../platform/mail/mail-message.js';
import { MailService } from '../platform/mail/mail.service.js';

type Words = Pick<MailMessage, 'subject' | 'paragraphs' | 'ifTooMany'>;

/** What has happened is told for as long as an SMTP server may be away. */
const NEWS_MS = 72 * 3_600_000;

const NOT_YOU = 'If this was not you, ask for a new password now: it ends every sign-in of the account.';

/** No word in them comes from a user: a name could be an advertisement, sent by us to an address that its writer chose. */
const MAILS = {
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
    ifTooMany: 'drop',
  },
  passkeyAdded: {
    subject: 'Your account has a new passkey',
    paragraphs: ['A passkey was added to your account. It signs in without the password.', NOT_YOU],
    ifTooMany: 'wait',
  },
  passkeyRemoved: {
    subject: 'A passkey was removed from your account',
    paragraphs: ['A passkey of your account was removed, and signs in no longer.', NOT_YOU],
    ifTooMany: 'wait',
  },
} as const satisfies Record<string, Words>;

export type AccountMail = keyof typeof MAILS;

/** The mails about accounts. Those that anyone may cause are dropped where an address gets too many; what has happened is told. */
@Injectable()
export class AccountMails {
  constructor(private readonly mails: MailService) {}

  async send(name: AccountMail, to: string, session: ClientSession): Promise<void> {
    const words: Words = MAILS[name];
    await this.mails.send({ to, goodUntil: new Date(Date.now() + NEWS_MS), ...words }, session);
  }
}
