import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import { AppConfig } from '../../config/app-config.js';
import { LANES } from '../work-queue/lanes.js';
import { renderMail } from './mail-message.js';
import type { MailContent } from './mail.service.js';

/** A rejection by the server. `isFinal` is true when the server will never accept this mail. */
export class MailRejected extends Error {
  constructor(
    readonly code: string,
    readonly isFinal: boolean,
  ) {
    super(`the mail was not taken: ${code}`);
  }
}

/** The maximum number of mails in the directory without SMTP; older files are deleted. */
const MAX_FILES = 500;
const CONNECT_MS = 10_000;
const SOCKET_TIMEOUT_MS = 20_000;

type SmtpError = Error & { code?: string; responseCode?: number; command?: string };

/** Sends a mail to the SMTP server, or writes it to a file if none is configured. */
@Injectable()
export class MailTransport implements OnModuleDestroy {
  private readonly logger = new Logger('Mail');
  private readonly smtpUrl: string | undefined;
  private smtp: ReturnType<typeof connect> | undefined;
  private readonly directory: string;
  private readonly from: string;
  private readonly siteUrl: string | undefined;
  private hasLoggedDirectory = false;

  constructor({ mail, site }: AppConfig) {
    this.siteUrl = site.url;
    this.directory = mail.directory;
    this.from = mail.from;
    this.smtpUrl = mail.smtpUrl;
  }

  /** Undefined without an SMTP server. Rejects while the server is unusable. */
  get probe(): (() => Promise<unknown>) | undefined {
    return this.smtpUrl === undefined ? undefined : async () => (await this.connected()).verify();
  }

  async onModuleDestroy(): Promise<void> {
    (await this.smtp)?.close();
  }

  /** @param siteName for the last line @throws MailRejected */
  async deliver(id: ObjectId, { to, ...content }: MailContent, siteName: string): Promise<void> {
    const domain = /@([\w.-]+)/.exec(this.from)?.[1] ?? 'localhost';
    const sender = `${siteName} wrote this about your account there${this.siteUrl === undefined ? '.' : `: ${this.siteUrl}`}`;
    const mail = {
      from: this.from,
      // An object prevents parsing the address as a list of addresses.
      to: { name: '', address: to },
      subject: content.subject,
      messageId: `<${id.toHexString()}@${domain}>`,
      headers: { 'Auto-Submitted': 'auto-generated', ...unsubscribeHeaders(content.unsubscribe) },
      ...renderMail(content, sender),
    };
    if (this.smtpUrl === undefined) {
      const { createTransport } = await import('nodemailer');
      const files = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
      const { message } = await files.sendMail(mail);
      return this.write(`${id.toHexString()}.eml`, message as Buffer);
    }
    try {
      await (await this.connected()).sendMail(mail);
    } catch (error) {
      throw toMailRejected(error as SmtpError);
    }
  }

  private connected(): ReturnType<typeof connect> {
    return (this.smtp ??= connect(this.smtpUrl!));
  }

  private async write(name: string, message: Buffer): Promise<void> {
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
    await writeFile(join(this.directory, name), message, { mode: 0o600 });
    if (!this.hasLoggedDirectory) this.logger.log(`SMTP_URL is not set: mails are written to ${this.directory}`);
    this.hasLoggedDirectory = true;
    // The names begin with their time.
    const names = (await readdir(this.directory)).filter((file) => /^[0-9a-f]{24}\.eml$/.test(file)).sort();
    for (const old of names.slice(0, -MAX_FILES)) await rm(join(this.directory, old), { force: true });
  }
}

/** Loads nodemailer on the first mail, because most processes send none. */
async function connect(url: string) {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    url,
    pool: true,
    maxConnections: LANES.mail.places + LANES.mailBulk.places,
    // The queue retries.
    maxRequeues: 0,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** Lets the mail program unsubscribe with one click (RFC 8058). */
function unsubscribeHeaders(url: string | undefined): Record<string, string> {
  if (url === undefined) return {};
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}

/** Only an error about this address or text is final. The operator can correct a wrong password or sender. */
function toMailRejected({ responseCode = 0, code = 'unknown', command }: SmtpError): MailRejected {
  const isNoAddress = code === 'EENVELOPE' && responseCode === 0;
  const isOfMail = (code === 'EENVELOPE' && command !== 'MAIL FROM') || code === 'EMESSAGE';
  return new MailRejected(
    responseCode === 0 ? code : `${code} ${responseCode}`,
    isNoAddress || (isOfMail && responseCode >= 500),
  );
}
