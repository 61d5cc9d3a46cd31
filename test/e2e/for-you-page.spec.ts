import type { Page } from 'playwright-core';
import { TagCountsJob } from '../../src/tags/tag-counts.job.js';
import { useApp } from '../support/app.js';
import { axeProblems } from '../support/axe.js';
import { submitSignIn, useBrowser } from '../support/browser.js';
import { describeWith } from '../support/optional.js';
import { until } from '../support/until.js';
import { verbsOf } from '../support/verbs.js';

describeWith('chromium', 'the page of the personal feed', (executablePath) => {
  const app = useApp({ env: { JOBS_ENABLED: 'false' }, oneHost: 'a browser reads pages of one server' });
  const { world } = app;
  const { ok } = verbsOf(app);
  const browser = useBrowser(executablePath);
  let page: Page;

  beforeEach(async () => {
    page = await browser().newPage({ viewport: { width: 320, height: 640 } });
    page.setDefaultTimeout(60_000);
  });
  afterEach(() => page.close());

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const expectAccessible = async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await axeProblems(page)).toEqual([]);
    }
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
  };

  it('asks a new account for tags, shows posts with their reasons, and takes feedback by keyboard', async () => {
    const [writer, other] = await world.people(2);
    const { id } = await world.post({ by: writer, title: 'Looms', tags: ['weaving'] });
    await world.post({ by: other, title: 'Engines', tags: ['machines'] });
    await app.app.get(TagCountsJob).run(new AbortController().signal);
    const reader = await world.person({ overHttp: true });

    await page.goto(app.url);
    await page.getByRole('link', { name: 'For you', exact: true }).click();
    await submitSignIn(page, reader.username);
    await button('#weaving').click();
    await until(async () => (await ok(reader, 'GET', 'users/me/tags')).data[0]?.tag === 'weaving' || null);
    await expectAccessible();
    await button('Show posts').press('Enter');

    const card = page.getByRole('article').filter({ hasText: 'Looms' });
    await card.getByText('Has a tag you follow').waitFor();
    await page.getByRole('article').filter({ hasText: 'Engines' }).getByText('Popular').waitFor();
    await expectAccessible();
    await card.getByRole('button', { name: 'Less like this' }).press('Enter');
    await card.getByText('You will see less like this.').waitFor();
    expect((await ok(reader, 'GET', 'feed/for-you')).data.map((one: { id: string }) => one.id)).not.toContain(id);

    await page.reload();
    await page.getByRole('article').filter({ hasText: 'Engines' }).waitFor();
    expect(await card.count()).toBe(0);
  });

  it('is switched off in the settings', async () => {
    await world.post({ by: await world.person(), title: 'Mills' });
    const reader = await world.person({ overHttp: true });

    await page.goto(`${app.url}/settings/profile`);
    await submitSignIn(page, reader.username);
    await page.getByLabel(/^Choose posts for me/).uncheck();
    await button('Save').click();
    await page.getByText('Saved.').waitFor();
    expect((await ok(reader, 'GET', 'auth/me')).settings).toMatchObject({ personalised: false });

    await page.goto(`${app.url}/for-you`);
    await page.getByRole('article').filter({ hasText: 'Mills' }).waitFor();
    await page.getByText('your feed is not personal').waitFor();
    expect(await button('Less like this').count()).toBe(0);
  });
});
