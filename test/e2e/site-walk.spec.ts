import { useApp } from '../support/app.js';
import { axeProblems } from '../support/axe.js';
import { useBrowser } from '../support/browser.js';
import { describeWith } from '../support/optional.js';
import { TINY_PNG } from '../support/pictures.js';
import { drainActivity } from '../support/verbs.js';

describeWith('chromium', 'a stranger with a phone', (executablePath) => {
  // Without jobs, a process follows the change stream.
  const app = useApp({ env: { JOBS_ENABLED: 'false' }, oneHost: 'a browser reads pages of one server' });
  const browser = useBrowser(executablePath);

  it('registers, publishes a post with an image, gets a comment, and finds it at the bell', async () => {
    const page = await browser().newPage({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
    page.setDefaultTimeout(60_000);
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const isNarrow = async () => {
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
      expect(await axeProblems(page)).toEqual([]);
    };

    await page.goto(app.url);
    await page.getByRole('link', { name: 'Register' }).tap();
    await page.getByLabel('Name', { exact: true }).fill('Grace Hopper');
    await page.getByLabel('Username').fill('grace_h');
    await page.getByLabel('E-mail address').fill('grace@example.org');
    await page.getByLabel('Password').fill('nanoseconds of wire');
    await isNarrow();
    await button('Create the account').tap();
    await page.getByText('Your account exists').waitFor();

    await page.getByLabel('Menu of Grace Hopper').tap();
    await page.getByRole('link', { name: 'Write' }).tap();
    await page.getByLabel('Title', { exact: true }).fill('A moth in the relay');
    await page.getByRole('textbox', { name: 'Text in Markdown' }).fill('We found it.');
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.getByText('▧').tap()]);
    await chooser.setFiles({ name: 'moth.png', mimeType: 'image/png', buffer: TINY_PNG });
    await page.getByRole('textbox', { name: 'Text in Markdown' }).filter({ hasText: '/v1/media/files/' }).waitFor();
    await page.getByLabel('Type').selectOption('Article');
    await page.getByRole('textbox', { name: /^Tags/ }).fill('bugs');
    await isNarrow();
    await button('Publish').tap();
    await page.waitForURL(/\/p\/a-moth-in-the-relay-/);
    await page.locator('.prose img[alt="moth"]').waitFor();
    await isNarrow();

    const [post] = await app.db.collection('posts').find({ title: 'A moth in the relay' }).toArray();
    const ada = await app.world.person();
    await app.world.comment({ by: ada, on: post!._id.toHexString(), content: 'The first one.' });
    await drainActivity(app);
    const bell = page.getByRole('link', { name: 'Notifications, 1 unread' });
    await bell.waitFor();
    await bell.tap();
    await page.getByText('The first one.').waitFor();
    await isNarrow();
    await page.getByRole('link', { name: 'A moth in the relay' }).tap();
    await page.locator('.comment', { hasText: 'The first one.' }).waitFor();
    await page.close();
  });
});
