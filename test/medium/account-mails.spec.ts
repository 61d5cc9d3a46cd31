import { type AccountMail, AccountMails, MAILS } from '../../src/auth/account-mails.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { SITE } from '../support/account-mails.js';
import { startApp, type TestApp } from '../support/app.js';
import { anAddress, TestSmtp, textOf } from '../support/smtp.js';
import { until } from '../support/until.js';

const NAMES = Object.keys(MAILS) as AccountMail[];
/** Only the reader of the address can trigger these mails, with the link of an earlier mail. */
const ALWAYS_THE_READER: AccountMail[] = ['emailTakenBack'];

describe('a mail about an account', () => {
  const smtp = new TestSmtp();
  let host: TestApp;

  beforeAll(async () => {
    const site = { PUBLIC_SITE_NAME: 'Looms & Letters', PUBLIC_SITE_URL: SITE };
    host = await startApp({ env: { SMTP_URL: await smtp.start(), ...site }, role: 'all' });
  });
  afterAll(async () => {
    await host.close();
    await smtp.stop();
  });

  async function textOfMail(name: AccountMail): Promise<string> {
    const to = anAddress();
    const mails = host.app.get(AccountMails);
    await host.app.get(MongoService).transaction((tx) => mails.send(name, to, tx, 'x'.repeat(43)));
    return textOf(await until(() => smtp.to(to)[0] ?? null));
  }

  it.each(NAMES)('names the site: %s', async (name) => {
    expect(await textOfMail(name)).toContain(`Looms & Letters wrote this about your account there: ${SITE}`);
  });

  it.each(NAMES.filter((name) => !ALWAYS_THE_READER.includes(name)))(
    'says what to do if it was not you: %s',
    async (name) => {
      const advice = /If (?:this was not you|you did not request it|you have no account here|you have no webhook), \w/;
      expect(await textOfMail(name)).toMatch(advice);
    },
  );
});
