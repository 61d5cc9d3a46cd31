import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AccountMail, AccountMails } from '../../src/auth/account-mails.js';
import type { MailMessage } from '../../src/platform/mail/mail-message.js';
import { MAILS_PER_HOUR } from '../../src/platform/mail/mail-counts.js';
import { MailService, type QueuedMail } from '../../src/platform/mail/mail.service.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { LANES } from '../../src/platform/work-queue/lanes.js';
import type { Task } from '../../src/platform/work-queue/task.schema.js';
import { startApp, type TestApp } from '../support/app.js';
import { mailTasks } from '../support/mails.js';
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

function queueMail(at: TestApp, message: MailMessage): Promise<void> {
  return at.app.get(MongoService).transaction((tx) => at.app.get(MailService).send(message, tx));
}

type MailTask = Task<QueuedMail>;
/** The limit postponed the mail. A mail that is being sent has an attempt, and is due again in a minute. */
const isPostponed = ({ runAt, attempts }: MailTask): boolean => attempts === 0 && runAt.getTime() > Date.now() + 30_000;

describe('mails over SMTP', () => {
  const smtp = new TestSmtp();
  let host: TestApp;
  /** Waits for the only mail in the queue to match. */
  const taskThat = (isRight: (task: MailTask) => boolean) =>
    until(async () => {
      const task = await mailTasks(host).findOne({ topic: 'mail' });
      return task !== null && isRight(task) ? task : null;
    });
  const untilDone = () =>
    until(async () => ((await mailTasks(host).countDocuments({ topic: 'mail' })) === 0 ? true : null));
  /** Makes all mails due. */
  const tryNow = () => mailTasks(host).updateMany({ topic: 'mail' }, { $set: { runAt: new Date(0), lastError: null } });

  beforeAll(async () => {
    host = await startApp({
      env: { SMTP_URL: await smtp.start(), MAIL_FROM: 'Canvas <canvas@example.net>' },
      role: 'all',
    });
  });
  beforeEach(async () => {
    smtp.verdict = () => null;
    smtp.beforeAnswer = async () => {};
    await mailTasks(host).deleteMany({ topic: 'mail' });
  });
  afterAll(async () => {
    await host.close();
    await smtp.stop();
  });

  it('are sent soon after the commit as text and HTML, and leave nothing readable behind', async () => {
    const to = anAddress();
    await queueMail(host, messageTo(to));
    const [mail] = await until(() => (smtp.to(to).length > 0 ? smtp.to(to) : null));
    expect(mail).toMatchObject({ to, subject: 'A <test>' });
    expect(mail!.source).toMatch(/^From: Canvas <canvas@example.net>/m);
    expect(mail!.source).toContain('Content-Type: text/html');
    expect(mail!.source.replace(/=\r?\n/g, '')).toContain('Five is &#62; 4 &#38; =C3=84rger');
    expect(textOf(mail!)).toContain('Five is > 4 &');
    expect(textOf(mail!)).toContain('https://example.org/#token=s3cr3t-0f-7h15-m41l');
    expect(textOf(mail!)).toContain('OpenCanvas wrote this about your account there: http://localhost:0');
    await untilDone();
  });

  it('do not show address or text in the queue while they wait', async () => {
    const to = anAddress();
    smtp.verdict = () => 451;
    await queueMail(host, messageTo(to));
    const task = await taskThat(({ lastError }) => lastError !== null);
    const { sealed, recipient } = task.payload;
    const seen = Buffer.concat([sealed.buffer, recipient.buffer, Buffer.from(JSON.stringify(task))]);
    for (const secret of [to, 's3cr3t-0f-7h15-m41l', 'example.org']) expect(seen.includes(secret)).toBe(false);
  });

  it('are not sent for a transaction that was rolled back', async () => {
    const [lost, sent] = [anAddress(), anAddress()];
    const rolledBack = host.app.get(MongoService).transaction(async (tx) => {
      await host.app.get(MailService).send(messageTo(lost), tx);
      throw new Error('changed its mind');
    });
    await expect(rolledBack).rejects.toThrow('changed its mind');
    await queueMail(host, messageTo(sent));
    await until(() => smtp.to(sent)[0]);
    expect(smtp.to(lost)).toEqual([]);
  });

  it('are retried after a temporary refusal, until the last attempt', async () => {
    const to = anAddress();
    smtp.verdict = () => 450;
    await queueMail(host, messageTo(to));
    for (const [index, seconds] of LANES.mail.retrySeconds.entries()) {
      const asked = Date.now();
      const task = await taskThat(({ attempts, lastError }) => attempts === index + 1 && lastError !== null);
      expect(task.lastError).toContain('EENVELOPE 450');
      expect(task.runAt.getTime()).toBeGreaterThan(asked + seconds * 1_000 - 5_000);
      await tryNow();
    }
    await untilDone();
    expect(smtp.to(to)).toEqual([]);
  });

  it('arrive once when a server accepts them after a temporary refusal', async () => {
    const to = anAddress();
    smtp.verdict = () => 451;
    await queueMail(host, messageTo(to));
    await taskThat(({ lastError }) => lastError !== null);
    smtp.verdict = () => null;
    await tryNow();
    await untilDone();
    expect(smtp.to(to)).toHaveLength(1);
  });

  it.each([
    ['an address the server does not know', (to: string) => to, 550],
    ['what is no address', () => 'no-address', null],
  ])('are not tried again for %s', async (_, addressOf, code) => {
    smtp.verdict = () => code;
    const to = addressOf(anAddress());
    await queueMail(host, messageTo(to));
    await untilDone();
    expect(smtp.to(to)).toEqual([]);
  });

  it('go to one address only, for any text in it', async () => {
    const [one, other] = [anAddress(), anAddress()];
    const asked = smtp.asked.length;
    await queueMail(host, messageTo(`${one}, ${other}`));
    await untilDone();
    await queueMail(host, messageTo(`${one}\r\nBcc: ${other}`));
    await untilDone();
    expect(smtp.asked.slice(asked)).not.toContain(other);
  });

  it('above the limit of an address wait an hour or are dropped, by kind', async () => {
    const [to, another] = [anAddress(), anAddress()];
    for (let count = 0; count < MAILS_PER_HOUR + 1; count++)
      await queueMail(host, messageTo(to, { ifTooMany: 'drop' }));
    for (let count = 0; count < MAILS_PER_HOUR + 2; count++) await queueMail(host, messageTo(to));
    await queueMail(host, messageTo(to, { ifTooMany: 'send' }));
    await queueMail(host, messageTo(another));
    const inTheHour = 2 * MAILS_PER_HOUR + 1;
    const waiting = async () => {
      const tasks = await mailTasks(host).find({ topic: 'mail' }).toArray();
      return tasks.length === 2 && tasks.every(isPostponed) ? tasks : null;
    };
    await until(waiting);
    expect(smtp.to(to)).toHaveLength(inTheHour);
    expect(smtp.to(another)).toHaveLength(1);
    // Simulates an hour.
    const anHourAgo = new Date(Date.now() - 3_700_000);
    await host.db.collection('mail_counts').updateMany({}, { $set: { 'sent.$[].at': anHourAgo } });
    await tryNow();
    await until(() => (smtp.to(to).length === inTheHour + 2 ? true : null));
  });

  it('of one kind do not displace those of another kind', async () => {
    const to = anAddress();
    const tell = (name: AccountMail, count: number) =>
      host.app.get(MongoService).transaction(async (tx) => {
        for (let at = 0; at < count; at++) await host.app.get(AccountMails).send(name, to, tx, 'x'.repeat(43));
      });
    for (const name of ['confirmEmail', 'emailTaken', 'wrongCodes'] as const) await tell(name, MAILS_PER_HOUR + 1);
    for (const name of ['passwordReset', 'passwordChanged'] as const) await tell(name, 1);
    await taskThat(isPostponed);
    await until(async () => ((await mailTasks(host).countDocuments({ topic: 'mail' })) === 1 ? true : null));
    const subjects = smtp.to(to).map(({ subject }) => subject);
    expect(subjects).toHaveLength(3 * MAILS_PER_HOUR + 2);
    expect(subjects).toEqual(expect.arrayContaining(['Choose a new password', 'Your password was changed']));
  });

  it('that a person waits for do not wait for digests and notifications', async () => {
    const bulk = Array.from({ length: 20 }, () => anAddress());
    const to = anAddress();
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    smtp.beforeAnswer = (mail) => (bulk.includes(mail.to) ? held : Promise.resolve());
    for (const [at, address] of bulk.entries()) {
      const unsubscribe = 'https://example.org/unsubscribe/x';
      const countedAs = at < 10 ? 'notification digest' : 'notification comment';
      await queueMail(host, messageTo(address, { unsubscribe, countedAs }));
    }
    await until(() => bulk.some((address) => smtp.to(address).length > 0) || null);
    await queueMail(host, messageTo(to));

    await until(() => smtp.to(to)[0]);

    // No kind of mail holds all places of the others.
    await until(() => smtp.to(bulk[10]!)[0]);
    expect(bulk.flatMap((address) => smtp.to(address)).length).toBeLessThanOrEqual(LANES.mailBulk.places);
    release();
    await untilDone();
    expect(bulk.map((address) => smtp.to(address).length)).toEqual(bulk.map(() => 1));
  });

  it('are not sent after their expiry', async () => {
    const to = anAddress();
    await queueMail(host, messageTo(to, { goodUntil: new Date(Date.now() - 1_000) }));
    await untilDone();
    expect(smtp.to(to)).toEqual([]);
  });

  it('that a killed process has sent are sent again as the same mail, and count once', async () => {
    const to = anAddress();
    smtp.verdict = () => 451;
    await queueMail(host, messageTo(to));
    const task = await taskThat(({ lastError }) => lastError !== null);
    smtp.verdict = () => null;
    await tryNow();
    await untilDone();
    // Simulates a process that was killed after the response of the mail server.
    await mailTasks(host).insertOne({ ...task, runAt: new Date(0) });
    await untilDone();
    const [first, second, ...others] = smtp.to(to);
    expect(others).toEqual([]);
    expect(first!.messageId).toBe(`<${task._id.toHexString()}@example.net>`);
    expect(second!.messageId).toBe(first!.messageId);
    const count = await host.db.collection('mail_counts').findOne({ _id: task.payload.recipient });
    expect(count!['sent']).toHaveLength(1);
  });
});

describe('mails and a server that does not respond', () => {
  it('wait for the next attempt, and do not keep the application from ending', async () => {
    const { url, server, sockets } = await hangingServer();
    const host = await startApp({ env: { SMTP_URL: url }, role: 'all' });
    const to = anAddress();
    await queueMail(host, messageTo(to));
    await until(() => (sockets.size > 0 ? true : null));
    const task = await until(async () => mailTasks(host).findOne({ lastError: { $ne: null } }));
    expect(task).toMatchObject({ topic: 'mail', attempts: 1, lastError: 'the mail was not taken: ETIMEDOUT' });
    await queueMail(host, messageTo(to));
    await until(() => (sockets.size > 0 ? true : null));
    await host.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('mails without an SMTP server', () => {
  it('are files of the data directory that a mail program opens', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'opencanvas-mail-'));
    const host = await startApp({ env: { DATA_DIR: dataDir }, role: 'all' });
    const to = anAddress();
    await queueMail(host, messageTo(to));
    const mails = join(dataDir, 'mail');
    await until(() => (existsSync(mails) && readdirSync(mails).length > 0) || null);
    const [file, ...others] = readdirSync(mails);
    expect(others).toEqual([]);
    expect(file).toMatch(/^[0-9a-f]{24}\.eml$/);
    // The file exists before its text.
    const text = await until(() => readFileSync(join(mails, file!), 'utf8') || null);
    expect(text).toContain(`To: ${to}`);
    await host.close();
    rmSync(dataDir, { recursive: true });
  });
});
