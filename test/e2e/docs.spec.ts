import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { describeWith } from '../support/optional.js';
import { SpawnedHost } from '../support/spawned-host.js';

/** Uses the documentation of the built server with clicks and typing only. */
describeWith('chromium', '/docs in a browser', (executablePath) => {
  const database = `test_docs_${randomBytes(6).toString('hex')}`;
  const environment = {
    HTTP_WORKERS: '1',
    MONGODB_URI: process.env.TEST_MONGODB_URI!,
    MONGODB_DATABASE: database,
    AUTH_TOKEN_SECRET: 'a secret of the tests, of forty characters',
  };
  const host = new SpawnedHost('dist/bundle/main.js', environment);
  let browser: Browser | undefined;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    host.start();
    const url = await host.url();
    browser = await chromium.launch({
      executablePath,
      args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    });
    page = await browser.newPage({ viewport: { width: 1280, height: 1600 } });
    page.setDefaultTimeout(90_000);
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    await page.goto(`${url}/docs`);
  });

  afterAll(async () => {
    await browser?.close();
    await host.remove();
    const client = new MongoClient(process.env.TEST_MONGODB_URI!);
    await client.db(database).dropDatabase();
    await client.close();
  });

  it('lets a new user register, authorize, publish a post and find it in the feed', async () => {
    // Swagger UI fills in the examples of the document, which are valid as they are.
    const registered = await tryItOut('sign-in', 'register');
    expect([registered.status, registered.body.user.username]).toEqual([201, 'ada_lovelace']);

    await page.locator('.auth-wrapper .btn.authorize').click();
    await page.locator('.auth-container input').fill(registered.body.accessToken);
    await page.locator('.auth-btn-wrapper .btn.authorize').click();
    await page.locator('.auth-btn-wrapper .btn-done').click();

    const title = 'Written in the documentation';
    const published = await tryItOut('posts', 'createPost', async (block) => {
      const editor = block.locator('textarea.body-param__text');
      await editor.fill(JSON.stringify({ ...JSON.parse(await editor.inputValue()), title }));
    });
    expect([published.status, published.body.title]).toEqual([201, title]);

    const feed = await tryItOut('feed', 'listFeed');
    expect(feed.status).toBe(200);
    expect(feed.body.data.map((card: { id: string }) => card.id)).toEqual([published.body.id]);
    expect(complaints).toEqual([]);
  });

  it('shows every tag, and which routes need a token', async () => {
    const sections = await page
      .locator('.opblock-tag')
      .evaluateAll((tags) => tags.map((tag) => tag.textContent.trim()));
    for (const room of [
      'sign-in',
      'account',
      'users',
      'posts',
      'comments',
      'interactions',
      'follows',
      'blocks',
      'feed',
      'operations',
    ])
      expect(sections.some((section) => section.startsWith(room))).toBe(true);
    expect(await page.locator('#operations-posts-createPost .authorization__btn').count()).toBe(1);
    expect(await page.locator('#operations-users-listTopWriters .authorization__btn').count()).toBe(0);
  });

  it('signs in by the form above the page, for longer than a reload', async () => {
    await page.evaluate('localStorage.clear()');
    await page.reload();
    await page.locator('#sign-in [name=login]').fill('ada_lovelace');
    await page.locator('#sign-in [name=password]').fill('analytical engine no. 1');
    await page.locator('#sign-in button').click();
    await page.locator('#sign-in output', { hasText: 'Signed in as ada_lovelace' }).waitFor();
    await page.reload();
    const { status, body } = await tryItOut('account', 'getMe');
    expect([status, body.username]).toEqual([200, 'ada_lovelace']);
    expect(complaints).toEqual([]);
  });

  /** Opens an operation, fills in the given fields, executes it and reads the response from the page. */
  async function tryItOut(
    tag: string,
    id: string,
    edit?: (block: Locator) => Promise<void>,
  ): Promise<{ status: number; body: any }> {
    const block = page.locator(`#operations-${tag}-${id}`);
    if (!(await block.isVisible())) await page.locator(`#operations-tag-${tag}`).click();
    await block.locator('.opblock-summary-control').click();
    await edit?.(block);
    await block.locator('.btn.execute').click();
    const row = block.locator('.live-responses-table tr.response');
    const status = await row.locator('.response-col_status').textContent();
    const body = await row.locator('.response-col_description pre').first().textContent();
    return { status: Number.parseInt(status!, 10), body: JSON.parse(body!) };
  }
});
