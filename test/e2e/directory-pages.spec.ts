import type { Page } from 'playwright-core';
import { SiteDaysJob } from '../../src/admin/site-days.job.js';
import { TagCountsJob } from '../../src/tags/tag-counts.job.js';
import { WriterListsJob } from '../../src/views/writer-lists.job.js';
import { useApp } from '../support/app.js';
import { axeProblems } from '../support/axe.js';
import { submitSignIn, useBrowser } from '../support/browser.js';
import { describeWith } from '../support/optional.js';
import { until } from '../support/until.js';
import { drainActivity, verbsOf } from '../support/verbs.js';
import type { Person } from '../support/world.js';

describeWith('chromium', 'the pages of tags, writers and the figures of the site', (executablePath) => {
  const app = useApp({ env: { JOBS_ENABLED: 'false' }, oneHost: 'a browser reads pages of one server' });
  const { world } = app;
  const { ok } = verbsOf(app);
  const browser = useBrowser(executablePath);
  let page: Page;
  let reader: Person;

  beforeAll(async () => {
    const authors = await world.people(5, { fullName: 'Wanda Weaver' });
    reader = await world.person({ overHttp: true, role: 'admin' });
    for (const by of authors) {
      const { id } = await world.post({ by, tags: ['weaving', 'looms'] });
      await ok(reader, 'PUT', `posts/${id}/vote`, { value: 'like' });
    }
    await drainActivity(app);
    for (const job of [TagCountsJob, WriterListsJob, SiteDaysJob])
      await app.app.get(job).run(new AbortController().signal);
  });

  beforeEach(async () => {
    page = await browser().newPage({ viewport: { width: 320, height: 640 } });
    page.setDefaultTimeout(60_000);
  });
  afterEach(() => page.close());

  const expectGood = async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await axeProblems(page)).toEqual([]);
    }
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
  };

  it('let a reader follow a trending tag and a top writer', async () => {
    await page.goto(`${app.url}/sign-in`);
    await submitSignIn(page, reader.username);
    await page.waitForURL(`${app.url}/`);
    await page.getByRole('link', { name: 'Tags', exact: true }).click();
    await page.getByRole('link', { name: 'Trending' }).click();
    const tag = page.getByRole('listitem').filter({ hasText: 'weaving' });
    await tag.getByText('5 posts').waitFor();
    await tag.getByRole('button', { name: 'Follow' }).press('Enter');
    await tag.getByRole('button', { name: 'Following' }).waitFor();
    await expectGood();
    expect(await until(async () => (await ok(reader, 'GET', 'users/me/tags')).data.length === 1 || null)).toBe(true);

    await page.goto(`${app.url}/writers`);
    expect(await page.getByRole('link', { name: 'Wanda Weaver' }).count()).toBe(5);
    await page.locator('.directory > li').first().getByRole('button', { name: 'Follow' }).click();
    await page.locator('.directory > li').first().getByRole('button', { name: 'Following' }).waitFor();
    await expectGood();
    await page.getByRole('link', { name: 'All time' }).click();
    await page.getByRole('link', { name: 'Wanda Weaver' }).first().waitFor();
  });

  it('show an admin the figures of the site, with charts and a table', async () => {
    await page.goto(`${app.url}/stats/site`);
    await submitSignIn(page, reader.username);
    await page.getByRole('heading', { name: 'Stats of the site' }).waitFor();
    await page.locator('.plot canvas').nth(1).waitFor();
    await page.getByRole('columnheader', { name: 'Active accounts' }).waitFor();
    await page.getByRole('cell', { name: '6', exact: true }).waitFor();
    await expectGood();
    await page.getByLabel('By').selectOption('month');
    await page.getByRole('row').nth(1).waitFor();
  });
});
