import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../support/cli.js';
import { useDatabase } from '../support/mongo.js';
import { TestSmtp } from '../support/smtp.js';

/** Nothing listens there. */
const CLOSED = '127.0.0.1:9';

describe('cli check', () => {
  const { dbName, uri } = useDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'opencanvas-check-'));
  const site = createServer((_, response) => response.end('{}'));
  const smtp = new TestSmtp();
  let siteUrl: string;
  let smtpUrl: string;

  beforeAll(async () => {
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    smtpUrl = await smtp.start();
  });
  afterAll(async () => {
    site.close();
    await smtp.stop();
    rmSync(dataDir, { recursive: true });
  });

  const check = (settings: Record<string, string> = {}) =>
    runCommand(['check'], {
      MONGODB_URI: uri,
      MONGODB_DATABASE: dbName,
      DATA_DIR: dataDir,
      HTTP_PORT: '0',
      ...settings,
    });
  /** The state of each check. */
  const statesOf = (text: string): Record<string, string> =>
    Object.fromEntries(
      [...text.matchAll(/^(ok|off|warn|fail) +(\S+(?: user)?) /gm)].map(([, state, name]) => [name, state]),
    );

  it('finds a working host in order', async () => {
    const { status, text } = await check({
      SMTP_URL: smtpUrl,
      MAIL_FROM: 'A <a@a.example>',
      HTTP_PUBLIC_URL: siteUrl,
      BACKUP_MONGODB_URI: uri,
    });

    expect(statesOf(text)).toMatchObject({
      ...{ memory: 'ok', port: 'ok', database: 'ok', rights: 'ok', clock: 'ok', backup: 'warn', 'backup user': 'ok' },
      ...{ Redis: 'off', S3: 'off', SMTP: 'ok', proxy: 'ok' },
    });
    expect([status, text]).toEqual([0, expect.stringMatching(/^0 to fix, \d+ to look at, \d+ in order\.$/m)]);
  });

  it('names everything that does not work at once, and fails', async () => {
    const s3 = { MEDIA_S3_BUCKET: 'pictures', MEDIA_S3_ACCESS_KEY_ID: 'a', MEDIA_S3_SECRET_ACCESS_KEY: 'b' };
    const { status, text } = await check({
      ...{ MONGODB_URI: `mongodb://${CLOSED}/`, MONGODB_SERVER_SELECTION_TIMEOUT_MS: '200' },
      ...{ REDIS_URL: `redis://${CLOSED}`, MEDIA_S3_ENDPOINT: `http://${CLOSED}`, ...s3 },
      ...{ SMTP_URL: `smtp://${CLOSED}`, HTTP_PUBLIC_URL: `http://${CLOSED}` },
    });

    expect(statesOf(text)).toMatchObject({ database: 'fail', Redis: 'fail', S3: 'fail', SMTP: 'fail', proxy: 'fail' });
    expect(text).toMatch(/^5 to fix, /m);
    expect(status).toBe(1);
  });

  it('fails when a proxy with TLS is not trusted', async () => {
    const { status, text } = await check({ HTTP_PUBLIC_URL: 'https://api.a.example' });

    expect(statesOf(text)).toMatchObject({ proxy: 'fail' });
    expect([status, text]).toEqual([1, expect.stringContaining('HTTP_TRUSTED_PROXIES is not set')]);
  });

  it('names wrong settings and checks nothing else', async () => {
    const { status, text } = await check({ HTTP_WORKERS: 'many' });

    expect([status, text]).toEqual([1, expect.stringMatching(/^ {2}HTTP_WORKERS: /m)]);
  });
});
