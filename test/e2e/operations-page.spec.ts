import type { Page } from 'playwright-core';
import { useApp } from '../support/app.js';
import { axeProblems } from '../support/axe.js';
import { submitSignIn, useBrowser } from '../support/browser.js';
import { describeWith } from '../support/optional.js';
import type { PersonWithPassword } from '../support/world.js';

describeWith('chromium', 'the page of operators', (executablePath) => {
  const app = useApp({ env: { JOBS_ENABLED: 'false' }, oneHost: 'a browser reads pages of one server' });
  const { world } = app;
  const browser = useBrowser(executablePath);
  let page: Page;

  beforeEach(async () => {
    page = await browser().newPage({ viewport: { width: 320, height: 640 } });
    page.setDefaultTimeout(60_000);
  });
  afterEach(() => page.close());

  async function open(person: PersonWithPassword): Promise<void> {
    await page.goto(`${app.url}/operations`);
    await submitSignIn(page, person.username);
  }
  const makeAdmin = async (): Promise<PersonWithPassword> => {
    const person = await world.person({ overHttp: true, role: 'admin' });
    await app.db.collection('users').updateOne({ _id: person._id }, { $set: { role: 'admin' } });
    return person;
  };
  const cellOf = (row: string, at: number) =>
    page
      .getByRole('row', { name: new RegExp(`^${row} `) })
      .getByRole('cell')
      .nth(at);

  it('shows requests, failed ones and processes as charts and tables that screen readers can read', async () => {
    await open(await makeAdmin());
    await page.getByText('Live, the last five minutes').waitFor();
    for (let time = 0; time < 40; time++) await app.client.get('/v1/users/nobody_is_here');

    await page.getByRole('img', { name: /^Errors\/s: now [1-9].* between 0 and [1-9]/ }).waitFor();
    await page.getByRole('img', { name: /^Latency: now [\d.]+ ms \/ [\d.]+ ms/ }).waitFor();
    expect(await cellOf('web', 0).textContent()).toBe(String(process.pid));
    expect(await cellOf('foreground', 0).textContent()).toBe('0');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await axeProblems(page)).toEqual([]);
    }
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
  });

  it('says that it is offline, and continues when the server responds', async () => {
    await open(await makeAdmin());
    await page.getByText('Live, the last five minutes').waitFor();

    await page.context().setOffline(true);
    await page.getByRole('status').filter({ hasText: 'could not be reached' }).waitFor();
    await page.context().setOffline(false);
    await page.getByText('Live, the last five minutes').waitFor();
  });

  it('is for admins', async () => {
    await open(await world.person({ overHttp: true }));

    await page.getByRole('alert').filter({ hasText: 'Only admins' }).waitFor();
    expect(await page.getByRole('img').count()).toBe(0);
  });
});
