import { ObjectId } from 'mongodb';
import { MAILS_PER_HOUR } from '../../src/platform/mail/mail-counts.js';
import { startApp, type TestApp } from '../support/app.js';
import { TestSmtp } from '../support/smtp.js';
import { until } from '../support/until.js';

const ADDRESSES = 1_000;
const NETWORKS = 10;
const PER_MINUTE = 5;

describe('a storm of requests for new passwords', () => {
  const smtp = new TestSmtp();
  let app: TestApp;

  beforeAll(async () => {
    const limits = { RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_AUTH_PER_MINUTE: String(PER_MINUTE) };
    const settings = { SMTP_URL: await smtp.start(), HTTP_TRUSTED_PROXIES: '127.0.0.1', ...limits };
    app = await startApp({ env: settings, role: 'all' });
  });
  afterAll(async () => {
    await app.close();
    await smtp.stop();
  });

  const addressOf = (index: number) => `person${index}@example.org`;
  const requestReset = async (index: number, network: string): Promise<boolean> => {
    const headers = { 'x-forwarded-for': network };
    const { status } = await app.client.post('/v1/auth/password-reset', { headers, body: { email: addressOf(index) } });
    expect([202, 429]).toContain(status);
    return status === 202;
  };

  it('sends as many mails as the limits of a network and of an address allow', async () => {
    const rows = Array.from({ length: ADDRESSES }, (_, index) => {
      return { _id: new ObjectId(), email: addressOf(index), passwordHash: null, updatedAt: new Date() };
    });
    await app.db.collection('credentials').insertMany(rows);
    const began = performance.now();
    let taken = 0;
    await Promise.all(
      Array.from({ length: NETWORKS }, async (_, network) => {
        for (let index = network; index < ADDRESSES; index += NETWORKS)
          if (await requestReset(index, `10.1.0.${network}`)) taken++;
      }),
    );
    const minutes = Math.ceil((performance.now() - began) / 60_000);
    expect(taken).toBeGreaterThanOrEqual(NETWORKS * PER_MINUTE);
    expect(taken).toBeLessThanOrEqual(NETWORKS * PER_MINUTE * (1 + minutes));
    // Requests a reset for the first address again, from other networks.
    for (let more = 0; more < 2 * MAILS_PER_HOUR; more++) expect(await requestReset(0, `10.2.0.${more}`)).toBe(true);
    const waiting = () =>
      app.db.collection('tasks').countDocuments({ topic: { $in: ['password-reset.asked', 'mail'] } });
    await until(async () => ((await waiting()) === 0 ? true : null));
    expect(smtp.to(addressOf(0))).toHaveLength(MAILS_PER_HOUR);
    expect(smtp.received).toHaveLength(taken + MAILS_PER_HOUR - 1);
    expect(new Set(smtp.received.map(({ to }) => to)).size).toBe(taken);
  });
});
