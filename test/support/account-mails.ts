import type { TestAccount } from './accounts.js';
import type { TestApp } from './app.js';
import { sentAgain } from './repeated-requests.js';
import type { Answer } from './client.js';
import { type ReceivedMail, type TestSmtp, textOf } from './smtp.js';
import { until } from './until.js';

export const SITE = 'https://site.example/canvas';

export const SUBJECTS = {
  reset: 'Choose a new password',
  confirm: 'Confirm your e-mail address',
  taken: 'You already have an account',
  passwordChanged: 'Your password was changed',
  emailChanged: 'Your e-mail address was changed',
  takenBack: 'Your account was recovered',
  lost: 'An account no longer has your e-mail address',
};

/** Returns each mail once: the next one with this subject to an address. */
export class Mailbox {
  private readonly read = new Set<ReceivedMail>();

  constructor(private readonly smtp: TestSmtp) {}

  async next(address: string, subject: keyof typeof SUBJECTS): Promise<ReceivedMail> {
    const find = () => this.unread(address).find((mail) => mail.subject === SUBJECTS[subject]) ?? null;
    const mail = await until(find, () => `no "${SUBJECTS[subject]}" among ${this.subjects(address).join()}`);
    this.read.add(mail);
    return mail;
  }

  /** Returns the token of the next such mail. */
  async token(address: string, subject: keyof typeof SUBJECTS): Promise<string> {
    return tokenOf(await this.next(address, subject));
  }

  subjects(address: string): string[] {
    return this.smtp.to(address).map(({ subject }) => subject);
  }

  private unread(address: string): ReceivedMail[] {
    return this.smtp.to(address).filter((mail) => !this.read.has(mail));
  }
}

function tokenOf(mail: ReceivedMail): string {
  const text = textOf(mail);
  const token = /#token=([\w-]{43})\n/.exec(text)?.[1];
  if (token === undefined) throw new Error(`no link in:\n${text}`);
  return token;
}

/** Client requests about passwords and addresses. Requests that hash a password are retried. */
export class AccountRequests {
  constructor(private readonly app: Pick<TestApp, 'client'>) {}

  askReset = (email: string): Promise<Answer> => this.app.client.post('/v1/auth/password-reset', { body: { email } });
  reset = (token: string, password: string): Promise<Answer> =>
    sentAgain(() => this.app.client.put('/v1/auth/password-reset', { body: { token, password } }));
  askVerification = ({ token }: { token: string }): Promise<Answer> =>
    this.app.client.post('/v1/auth/email-verification', { token });
  confirm = (token: string): Promise<Answer> => this.app.client.put('/v1/auth/email-verification', { body: { token } });
  changeEmail = ({ token }: { token: string }, email: string, password: string): Promise<Answer> =>
    sentAgain(() => this.app.client.put('/v1/auth/email', { token, body: { email, password } }));
  undo = (token: string): Promise<Answer> => this.app.client.put('/v1/auth/email/undo', { body: { token } });
  me = ({ token }: { token: string }): Promise<Answer> => this.app.client.get('/v1/auth/me', { token });
  login = (login: string, password: string): Promise<Answer> =>
    sentAgain(() => this.app.client.post('/v1/auth/login', { body: { login, password } }));
  refresh = ({ refreshToken }: Pick<TestAccount, 'refreshToken'>): Promise<Answer> =>
    this.app.client.post('/v1/auth/refresh', { body: { refreshToken } });
}
