import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AccountMail, AccountMails } from '../../src/auth/account-mails.js';
import type { MailMessage } from '../../src/platform/mail/mail-message.js';
import { MAIL_QUEUE, type QueuedMail } from '../../src/platform/mail/mail.schema.js';
import { MAIL_WAITING, MailService } from '../../src/platform/mail/mail.service.js';
import { MailQueue, MAILS_PER_HOUR, RETRY_MINUTES } from '../../src/platform/mail/mail-queue.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { EventPublisher } from '../../src/platform/events/event-publisher.js';
import { startApp, type TestApp } from '../support/app.js';
import { plansOf } from '../support/plans.js';
import { anAddress, hangingServer, TestSmtp, textOf } from '../support/smtp.js';
import { until } from '../support/until.js';

const messageTo = (to: string, more: Partial<MailMessage> = {}): MailMessage => ({
  to,
  subject: 'A <test>',
  paragraphs: ['Five is > 4 & Ärger is spelt so.'],
  link: 'https://example.org/#token=s3cr3t-0f-7h15-m41l',
  goodUntil: new Date(Date.now() + 3_600_000),
  ifTooMany: 'wait',
  ...more,
});

function send(at: TestApp, message: MailMessage): Promise<void> {
  return at.app.get(MongoService).transaction((session) => at.app.get(MailService).send(message, session));
}

function rowsOf({ db }: TestApp) {
  return db.collection<QueuedMail>(MAIL_QUEUE);
}

describe('mails over SMTP', () => {
  const smtp = new TestSmtp();
  let host: TestApp;
  /** The row of the only mail since the beginning of the test, when it is as it should be. */
  const rowThat = (isRight: (row: QueuedMail) => boolean) =>
    until(async () => {
      const row = await rowsOf(host).findOne({});
      return row !== null && isRight(row) ? row : null;
    });
  /** Makes all mails due. */
  const tryNow = async () => {
    await rowsOf(host).updateMany({ nextAt: { $type: 'date' } }, { $set: { nextAt: new Date(0) } });
    await host.app.get(EventPublisher).publishNow(MAIL_WAITING, null);
  };

  beforeAll(async () => {
    host = await startApp({
      env: { SMTP_URL: await smtp.start(), MAIL_FROM: 'Canvas <canvas@example.net>' },
      role: 'all',
    });
  });
  beforeEach(async () => {
    smtp.verdict = () => null;
    smtp.beforeAnswer = async () => {};
    await rowsOf(host).deleteMany({});
  });
  afterAll(async () => {
    await host.close();
    await smtp.stop();
  });

  it('are sent soon after the commit as text and HTML, and leave nothing readable behind', async () => {
    const to = anAddress();
    await send(host, messageTo(to));
    const [mail] = await until(() => (smtp.to(to).length > 0 ? smtp.to(to) : null));
    expect(mail).toMatchObject({ to, subject: 'A <test>' });
    expect(mail!.source).toMatch(/^From: Canvas <canvas@example.net>/m);
    expect(mail!.source).toContain('Content-Type: text/html');
    expect(mail!.source.replace(/=\r?\n/g, '')).toContain('Five is &#62; 4 &#38; =C3=84rger');
    expect(textOf(mail!)).toContain('Five is > 4 &');
    expect(textOf(mail!)).toContain('https://example.org/#token=s3cr3t-0f-7h15-m41l');
    expect(textOf(mail!)).toContain('OpenCanvas wrote this about your account there.');
    const row = await rowThat(({ state }) => state === 'sent');
    expect(Object.keys(row)).not.toContain('sealed');
    expect(Object.keys(row)).not.toContain('nextAt');
  });

  it('do not show address or text in the queue while they wait', async () => {
    const to = anAddress();
    smtp.verdict = () => 451;
    await send(host, messageTo(to));
    const row = await rowThat(({ lastError }) => lastError !== null);
    const seen = Buffer.concat([row.sealed!.buffer, row.recipient.buffer, Buffer.from(JSON.stringify(row))]);
    for (const secret of [to, 's3cr3t-0f-7h15-m41l', 'example.org']) expect(seen.includes(secret)).toBe(false);
  });

  it('are not sent for a transaction that was rolled back', async () => {
    const [lost, sent] = [anAddress(), anAddress()];
    const rolledBack = host.app.get(MongoService).transaction(async (session) => {
      await host.app.get(MailService).send(messageTo(lost), session);
      throw new Error('changed its mind');
    });
    await expect(rolledBack).rejects.toThrow('changed its mind');
    await send(host, messageTo(sent));
    await until(() => smtp.to(sent)[0]);
    expect(smtp.to(lost)).toEqual([]);
  });

  it('are retried after a temporary refusal, until the last attempt', async () => {
    const to = anAddress();
    smtp.verdict = () => 450;
    await send(host, messageTo(to));
    for (const [index, minutes] of RETRY_MINUTES.entries()) {
      const row = await rowThat(({ attempts, lastError }) => attempts === index + 1 && lastError !== null);
      expect(row).toMatchObject({ state: 'waiting', lastError: 'EENVELOPE 450' });
      expect(row.nextAt!.getTime() - row.triedAt!.getTime()).toBe(minutes * 60_000);
      await rowsOf(host).updateOne({ _id: row._id }, { $set: { lastError: null } });
      await tryNow();
    }
    const row = await rowThat(({ state }) => state === 'refused');
    expect(row.attempts).toBe(RETRY_MINUTES.length + 1);
    expect(row.sealed).toBeUndefined();
  });

  it('arrive once when a server accepts them after a temporary refusal', async () => {
    const to = anAddress();
    smtp.verdict = () => 451;
    await send(host, messageTo(to));
    await rowThat(({ lastError }) => lastError === 'EENVELOPE 451');
    smtp.verdict = () => null;
    await tryNow();
    await rowThat(({ state }) => state === 'sent');
    expect(smtp.to(to)).toHaveLength(1);
  });

  it.each([
    ['an address the server does not know', (to: string) => to, 550, 'EENVELOPE 550'],
    ['what is no address', () => 'nobody', null, /^EENVELOPE/],
  ])('are not tried again for %s', async (_, addressOf, code, lastError) => {
    smtp.verdict = () => code;
    await send(host, messageTo(addressOf(anAddress())));
    const row = await rowThat(({ state }) => state !== 'waiting');
    expect(row).toMatchObject({
      state: 'refused',
      attempts: 1,
      lastError: typeof lastError === 'string' ? lastError : expect.stringMatching(lastError),
    });
  });

  it('go to one address only, for any text in it', async () => {
    const [one, other] = [anAddress(), anAddress()];
    const asked = smtp.asked.length;
    await send(host, messageTo(`${one}, ${other}`));
    await rowThat(({ state }) => state !== 'waiting');
    await send(host, messageTo(`${one}\r\nBcc: ${other}`));
    await until(async () => ((await rowsOf(host).countDocuments({ nextAt: { $type: 'date' } })) === 0 ? true : null));
    expect(smtp.asked.slice(asked)).not.toContain(other);
  });

  it('above the limit of an address wait an hour or are dropped, by kind', async () => {
    const [to, another] = [anAddress(), anAddress()];
    for (let count = 0; count < MAILS_PER_HOUR + 1; count++) await send(host, messageTo(to, { ifTooMany: 'drop' }));
    for (let count = 0; count < MAILS_PER_HOUR + 2; count++) await send(host, messageTo(to));
    await send(host, messageTo(to, { ifTooMany: 'send' }));
    await send(host, messageTo(another));
    const stateOf = async () => {
      const rows = await rowsOf(host).find({}).toArray();
      const isSettled = rows.every(
        ({ state, nextAt }) => state !== 'waiting' || nextAt!.getTime() > Date.now() + 600_000,
      );
      return isSettled ? rows.map(({ state }) => state).sort() : null;
    };
    const inTheHour = 2 * MAILS_PER_HOUR + 1;
    const sent = Array.from({ length: inTheHour + 1 }, () => 'sent');
    expect(await until(stateOf)).toEqual(['dropped', ...sent, 'waiting', 'waiting']);
    expect(smtp.to(to)).toHaveLength(inTheHour);
    expect(smtp.to(another)).toHaveLength(1);
    // an hour later
    await rowsOf(host).updateMany({ state: 'sent' }, { $set: { triedAt: new Date(Date.now() - 3_700_000) } });
    await tryNow();
    await until(() => (smtp.to(to).length === inTheHour + 2 ? true : null));
  });

  it('of one kind do not displace those of another kind', async () => {
    const to = anAddress();
    const tell = (name: AccountMail, count: number) =>
      host.app.get(MongoService).transaction(async (session) => {
        for (let at = 0; at < count; at++) await host.app.get(AccountMails).send(name, to, session, 'x'.repeat(43));
      });
    for (const name of ['confirmEmail', 'emailTaken', 'wrongCodes'] as const) await tell(name, MAILS_PER_HOUR + 1);
    for (const name of ['passwordReset', 'passwordChanged'] as const) await tell(name, 1);
    const left = async () => {
      const rows = await rowsOf(host)
        .find({ state: { $ne: 'sent' } })
        .toArray();
      return rows.length === 3 ? rows.map(({ state }) => state).sort() : null;
    };
    expect(await until(left)).toEqual(['dropped', 'dropped', 'waiting']);
    const subjects = smtp.to(to).map(({ subject }) => subject);
    expect(subjects).toHaveLength(3 * MAILS_PER_HOUR + 2);
    expect(subjects).toEqual(expect.arrayContaining(['Choose a new password', 'Your password was changed']));
  });

  it('are not sent after their expiry', async () => {
    const to = anAddress();
    await send(host, messageTo(to, { goodUntil: new Date(Date.now() - 1_000) }));
    await rowThat(({ state }) => state === 'expired');
    expect(smtp.to(to)).toEqual([]);
  });

  it('whose end was not recorded are sent again a minute later as the same mail', async () => {
    const to = anAddress();
    await send(host, messageTo(to));
    const sent = await rowThat(({ state }) => state === 'sent');
    const sealed = host.app.get(MailService)['content'].seal({ to, subject: 'again', paragraphs: ['x'] });
    await rowsOf(host).updateOne({ _id: sent._id }, { $set: { state: 'waiting', sealed: sealed as never } });
    await rowsOf(host).updateOne({ _id: sent._id }, { $set: { nextAt: new Date(0) } });
    await tryNow();
    const [first, second] = await until(() => (smtp.to(to).length === 2 ? smtp.to(to) : null));
    expect(first!.messageId).toBe(`<${sent._id.toHexString()}@example.net>`);
    expect(second!.messageId).toBe(first!.messageId);
  });

  it('are found by index ranges', async () => {
    smtp.verdict = () => 450;
    const to = anAddress();
    for (let count = 0; count < 3; count++) await send(host, messageTo(to));
    await until(async () => ((await rowsOf(host).countDocuments({ lastError: { $ne: null } })) === 3 ? true : null));
    const queue = host.app.get(MailQueue);
    const claimed = async (): Promise<void> => {
      await queue.isDue();
      await queue.waiting();
      await queue.claim();
    };
    const plans = await plansOf(host, claimed, MAIL_QUEUE);
    expect(plans.length).toBeGreaterThanOrEqual(3);
    for (const { plan } of plans) expect(plan).not.toContain('COLLSCAN');
  });
});

describe('mails and a server that does not respond', () => {
  it('wait for the next attempt, and do not keep the application from ending', async () => {
    const { url, server, sockets } = await hangingServer();
    const host = await startApp({ env: { SMTP_URL: url }, role: 'all' });
    const to = anAddress();
    await send(host, messageTo(to));
    await until(() => (sockets.size > 0 ? true : null));
    const row = await until(async () => rowsOf(host).findOne({ lastError: { $ne: null } }));
    expect(row).toMatchObject({ state: 'waiting', attempts: 1, lastError: 'ETIMEDOUT' });
    await send(host, messageTo(to));
    await until(() => (sockets.size > 0 ? true : null));
    await host.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('a mail', () => {
  it('goes to one of several concurrent claims', async () => {
    const host = await startApp({ env: { JOBS_ENABLED: 'false' } });
    for (let turn = 0; turn < 3; turn++) {
      await send(host, messageTo(anAddress()));
      const claims = await Promise.all(Array.from({ length: 5 }, () => host.app.get(MailQueue).claim()));
      expect(claims.filter((row) => row !== null)).toHaveLength(1);
    }
    await host.close();
  });
});

describe('mails without an SMTP server', () => {
  it('are files of the data directory that a mail program opens', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'opencanvas-mail-'));
    const host = await startApp({ env: { DATA_DIR: dataDir }, role: 'all' });
    const to = anAddress();
    await send(host, messageTo(to));
    await until(async () => rowsOf(host).findOne({ state: 'sent' }));
    const [file, ...others] = readdirSync(join(dataDir, 'mail'));
    expect(others).toEqual([]);
    expect(file).toMatch(/^[0-9a-f]{24}\.eml$/);
    expect(readFileSync(join(dataDir, 'mail', file!), 'utf8')).toContain(`To: ${to}`);
    await host.close();
    rmSync(dataDir, { recursive: true });
  });
});
