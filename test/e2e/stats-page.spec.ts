import { ObjectId } from 'mongodb';
import type { Page } from 'playwright-core';
import { AUTHOR_DAYS } from '../../src/views/author-day.schema.js';
import { useApp } from '../support/app.js';
import { axeProblems } from '../support/axe.js';
import { submitSignIn, useBrowser } from '../support/browser.js';
import { describeWith } from '../support/optional.js';

const DAY_MS = 86_400_000;
const dayBefore = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

describeWith('chromium', 'the page of stats', (executablePath) => {
  const app = useApp({ env: { JOBS_ENABLED: 'false' }, oneHost: 'a browser reads pages of one server' });
  const { world } = app;
  const browser = useBrowser(executablePath);
  let page: Page;

  beforeEach(async () => {
    page = await browser().newPage({ viewport: { width: 320, height: 640 } });
    page.setDefaultTimeout(60_000);
  });
  afterEach(() => page.close());

  it('shows an author the totals, a chart with a table, the most viewed posts and the referrers', async () => {
    const author = await world.person({ overHttp: true });
    const { id, title } = await world.post({ by: author });
    const authorId = new ObjectId(author.id);
    const rows = Array.from({ length: 20 }, (_, days) => {
      const views = 1_000 + 40 * (days % 7);
      const counts = { views, reads: 400, shares: 3, likes: 5, comments: 2, follows: 1 };
      const referrers = [
        { key: 'internal', count: 500 },
        { key: 'news.example.org', count: 120 },
      ];
      const day = dayBefore(days + 1);
      return {
        _id: `${author.id}:${day}` as never,
        authorId,
        day,
        ...counts,
        referrers,
        posts: [{ key: id, count: views }],
      };
    });
    await app.db.collection(AUTHOR_DAYS).insertMany(rows);

    await page.goto(`${app.url}/stats`);
    await submitSignIn(page, author.username);
    await page.getByRole('img', { name: /^Chart: 22,\d{3} views and 8,000 reads/ }).waitFor();
    await page.locator('.plot canvas').waitFor();
    await page.getByText('Table', { exact: true }).click();
    await page.getByRole('cell', { name: '1,000', exact: true }).first().waitFor();
    await page.getByRole('row', { name: /^news\.example\.org 2,400/ }).waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await axeProblems(page)).toEqual([]);
    }
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);

    await page.getByLabel('By').selectOption('month');
    await page.getByRole('img', { name: /^Chart: 22,\d{3} views/ }).waitFor();
    await page.getByRole('link', { name: new RegExp(`stats of “${title}”`) }).click();
    await page.getByRole('link', { name: 'Show the post' }).waitFor();
    await page.getByRole('img', { name: /^Chart: 0 views and 0 reads/ }).waitFor();
    await page.getByRole('link', { name: 'Show the post' }).click();
    await page.getByRole('link', { name: 'Stats', exact: true }).first().waitFor();
  });

  it('says that only its author can read the stats of a post', async () => {
    const reader = await world.person({ overHttp: true });
    const { id } = await world.post({ by: await world.person() });

    await page.goto(`${app.url}/stats/${id}`);
    await submitSignIn(page, reader.username);
    await page.getByRole('alert').filter({ hasText: 'Only its author' }).waitFor();
  });
});
