import type { Page } from 'playwright-core';
import { useApp } from '../support/app.js';
import { axeProblems } from '../support/axe.js';
import { submitSignIn, useBrowser } from '../support/browser.js';
import { describeWith } from '../support/optional.js';
import { until } from '../support/until.js';
import { drainActivity, verbsOf } from '../support/verbs.js';
import type { Person, PersonWithPassword } from '../support/world.js';

describeWith('chromium', 'the own lists of a reader', (executablePath) => {
  // Without jobs, a process follows the change stream.
  const app = useApp({ env: { JOBS_ENABLED: 'false' }, oneHost: 'a browser reads pages of one server' });
  const { world } = app;
  const { ok } = verbsOf(app);
  const browser = useBrowser(executablePath);
  let page: Page;
  let reader: PersonWithPassword;
  let writer: Person;

  beforeEach(async () => {
    page = await browser().newPage({ viewport: { width: 320, height: 640 } });
    // The SDK repeats a request for some seconds before it fails.
    page.setDefaultTimeout(60_000);
    [reader, writer] = [await world.person({ overHttp: true }), await world.person()];
  });
  afterEach(() => page.close());

  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const stateOf = async (id: string) => (await ok(reader, 'GET', `viewer?posts=${id}`)).posts[0];

  async function open(path: string): Promise<void> {
    await page.goto(app.url + path);
    await submitSignIn(page, reader.username);
  }

  it('show the posts of followed accounts, to like, save and hide', async () => {
    await ok(reader, 'PUT', `users/${writer.username}/follow`);
    const { id } = await world.post({ by: writer, title: 'Looms' });
    await open('/following');
    await page.getByRole('link', { name: 'Looms' }).waitFor();

    await button(/Like/).click();
    await until(async () => (await stateOf(id)).vote === 'like' || null);
    await page.locator('[aria-pressed=true]', { hasText: '1' }).waitFor();
    await button('Save').click();
    await button('Saved').waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await axeProblems(page)).toEqual([]);
    }
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    await button('Hide').press('Enter');
    await page.getByText('no longer show this post').waitFor();
    await until(async () => (await stateOf(id)).isHidden || null);
    expect(await stateOf(id)).toMatchObject({ vote: 'like', isSaved: true });

    await button('Show it again').click();
    await button(/Like/).click();
    await until(async () => (await stateOf(id)).vote === null || null);
    expect(await stateOf(id)).toMatchObject({ isHidden: false });
  });

  it('restore a state that the server did not accept, and say why', async () => {
    const { id } = await world.post({ by: writer, title: 'Engines' });
    await ok(reader, 'PUT', `posts/${id}/save`);
    await open('/saved-posts');
    await button('Saved').waitFor();

    await page.context().setOffline(true);
    await button(/Like/).click();
    await page.getByRole('alert').filter({ hasText: 'could not be reached' }).waitFor();
    expect(await button(/Like/).getAttribute('aria-pressed')).toBe('false');
    await page.context().setOffline(false);
    await button(/Like/).click();
    await until(async () => (await stateOf(id)).vote === 'like' || null);

    await world.deletePost(id, { by: writer });
    await button('Hide').click();
    await page
      .getByRole('alert')
      .filter({ hasText: /request \S+/ })
      .waitFor();
    await page.getByRole('link', { name: 'Engines', exact: true }).waitFor();
  });

  it('continue below on demand, and show an empty list as such', async () => {
    for (let index = 1; index <= 21; index++) {
      const { id } = await world.post({ by: writer, title: `Part ${index}` });
      await ok(reader, 'PUT', `posts/${id}/save`);
    }
    await open('/saved-posts');
    await page.getByRole('link', { name: 'Part 21', exact: true }).waitFor();
    await button('More').click();
    await page.getByRole('link', { name: 'Part 1', exact: true }).waitFor();
    expect(await button('More').count()).toBe(0);

    await page.goto(`${app.url}/following`);
    await page.getByText('Follow people and tags to read').waitFor();
  });

  it('show a new notification and the number of unread ones without a reload', async () => {
    const post = await world.post({ by: reader, title: 'Notes' });
    await open('/notifications');
    await page.getByText('You have no notifications.').waitFor();

    await world.comment({ by: writer, on: post.id, content: 'It weaves.' });
    await drainActivity(app);
    await page.getByText('It weaves.').waitFor();
    await until(async () => (await page.title()).startsWith('(1) ') || null);
    await button('Mark as read').click();
    await until(async () => !(await page.title()).startsWith('(') || null);
    expect(await axeProblems(page)).toEqual([]);
    expect(await ok(reader, 'GET', 'notifications/unread-count')).toMatchObject({ count: 0 });
  });
});
