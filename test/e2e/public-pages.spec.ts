import type { Page } from 'playwright-core';
import { useApp } from '../support/app.js';
import { axeProblems } from '../support/axe.js';
import { submitSignIn, useBrowser } from '../support/browser.js';
import { describeWith } from '../support/optional.js';
import { until } from '../support/until.js';
import { drainActivity, verbsOf } from '../support/verbs.js';
import type { Person, PersonWithPassword } from '../support/world.js';
import { VECTORS } from '../support/xss-vectors.js';

const MAX_SCRIPT_BYTES = 30_000;

describeWith('chromium', 'the public pages of a signed-in reader', (executablePath) => {
  // Without jobs, a process follows the change stream.
  const app = useApp({ env: { JOBS_ENABLED: 'false' }, oneHost: 'a browser reads pages of one server' });
  const { world } = app;
  const { ok } = verbsOf(app);
  const browser = useBrowser(executablePath);
  let page: Page;
  let reader: PersonWithPassword;
  let writer: Person;
  let post: { id: string; slug: string };
  /** paths of the API that the page has asked for since it was opened */
  let requests: string[];
  /** errors, dialogs, violations of the policy */
  let complaints: string[];

  beforeEach(async () => {
    page = await browser().newPage({ viewport: { width: 360, height: 740 }, reducedMotion: 'reduce' });
    page.setDefaultTimeout(60_000);
    [requests, complaints] = [[], []];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/v1/')) requests.push(pathname);
    });
    // Until a navigation commits, the page before it may still ask.
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame()) requests = [];
    });
    page.on('console', (message) => {
      if (!message.text().startsWith('Failed to load resource')) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    [reader, writer] = [await world.person({ overHttp: true, fullName: 'Ada Lovelace' }), await world.person()];
    post = await world.post({ by: writer, title: 'Looms', content: 'They weave.' });
  });
  afterEach(async () => {
    await page.close();
    expect(complaints).toEqual([]);
  });

  const button = (name: string | RegExp, within: Pick<Page, 'getByRole'> = page) =>
    within.getByRole('button', { name, exact: true });
  const stateOf = async (id: string) => (await ok(reader, 'GET', `viewer?posts=${id}`)).posts[0];
  const commentsOf = async () => (await ok(reader, 'GET', `posts/${post.id}/comments`)).data;
  const menu = () => page.getByLabel('Menu of Ada Lovelace');

  async function signIn(path: string): Promise<void> {
    await page.goto(`${app.url}/following`);
    await submitSignIn(page, reader.username);
    await menu().waitFor();
    await page.goto(app.url + path);
    await menu().waitFor();
  }
  async function expectAccessible(): Promise<void> {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await axeProblems(page)).toEqual([]);
    }
    for (const width of [320, 360]) {
      await page.setViewportSize({ width, height: 740 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    }
  }

  it('read nothing from the API, and lead to the sign-in, without a sign-in', async () => {
    await page.goto(`${app.url}/p/${post.slug}?utm=mail`);
    await page.waitForLoadState('networkidle');
    expect(requests.filter((path) => !path.endsWith('/events'))).toEqual([]);
    const sign = page.getByRole('banner').getByRole('link', { name: 'Sign in' });
    expect(await sign.getAttribute('href')).toBe(`/sign-in?to=${encodeURIComponent(`/p/${post.slug}?utm=mail`)}`);
    const comment = page.getByRole('link', { name: 'Sign in to comment' });
    expect(await comment.getAttribute('href')).toBe(`/sign-in?to=${encodeURIComponent(`/p/${post.slug}#comments`)}`);
    expect(await page.locator('.own, .menu').count()).toBe(0);
  });

  it('report a view, and a read at the end of the text, to the stats of the writer', async () => {
    const owner = await world.person({ overHttp: true });
    const { id, slug } = await world.post({ by: owner, content: 'They weave.' });
    const readsOf = async () => (await ok(owner, 'GET', `posts/${id}/stats`)).totals.reads;
    await page.clock.install();
    await page.goto(`${app.url}/p/${slug}`, { referer: 'https://news.example.org/top?secret=1' });
    const sent = page.waitForRequest((request) => request.url().endsWith('/events'));
    await page.clock.runFor(1_000);

    expect((await sent).postDataJSON()).toEqual({ kind: 'view', referrer: 'news.example.org' });
    await until(async () => (await ok(owner, 'GET', `posts/${id}/stats`)).totals.views === 1 || null);
    expect(await readsOf()).toBe(0);

    await page.locator('.post-foot').scrollIntoViewIfNeeded();
    await until(async () => {
      await page.clock.runFor(1_000);
      return (await readsOf()) === 1 || null;
    });
    expect(requests).toEqual(Array.from({ length: 2 }, () => `/v1/posts/${id}/events`));

    const stats = await browser().newPage();
    await stats.goto(`${app.url}/stats/${id}`);
    await submitSignIn(stats, owner.username);
    await stats.getByRole('img', { name: /^Chart: 1 views and 1 reads/ }).waitFor({ timeout: 60_000 });
    await stats.close();
  });

  it('report the view of a signed-in reader as that of the account', async () => {
    await signIn(`/p/${post.slug}`);
    const viewed = () => ok(writer, 'GET', `posts/${post.id}/stats`);
    await until(async () => (await viewed()).totals.views === 1 || null);

    const again = await ok(reader, 'POST', `posts/${post.id}/events`, { kind: 'view' });
    expect(again).toEqual({ counted: false });
  });

  it('have buttons in lists, with three requests for a page', async () => {
    const muted = await world.person();
    const unwanted = await world.post({ by: muted, title: 'Unwanted' });
    await ok(reader, 'PUT', `users/${muted.username}/mute`, {});
    await signIn('/latest');
    const card = page.locator(`[data-post="${post.id}"]`);
    await button('Save', card).click();
    await until(async () => (await stateOf(post.id)).isSaved || null);
    await button(/Like/, card).click();
    await until(async () => (await stateOf(post.id)).vote === 'like' || null);
    expect(await page.locator(`[data-post="${unwanted.id}"]`).isVisible()).toBe(false);
    const scripts = await page.evaluate<number[]>(
      `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js')).map((one) => one.encodedBodySize)`,
    );
    const bytes = scripts.reduce((sum, size) => sum + size);
    expect(bytes).toBeGreaterThan(5_000);
    expect(bytes).toBeLessThan(MAX_SCRIPT_BYTES);
    expect(requests.filter((path) => !path.startsWith('/v1/posts/')).sort()).toEqual([
      '/v1/auth/refresh',
      '/v1/notifications/stream',
      '/v1/viewer',
    ]);
    await expectAccessible();

    await button('Hide', card).press('Enter');
    await card.getByText('no longer show this post').waitFor();
    await until(async () => (await stateOf(post.id)).isHidden || null);
    expect(await card.getByRole('heading').isVisible()).toBe(false);
    await page.reload();
    await button('Show it again', card).press('Enter');
    await card.getByRole('heading', { name: 'Looms' }).waitFor();
    await until(async () => (await stateOf(post.id)).isHidden === false || null);
  });

  it('link to no related post that the reader hides, or whose author the reader mutes', async () => {
    const [muted, other] = await world.people(2);
    const ofMuted = await world.post({ by: muted, tags: ['brocade'] });
    const hidden = await world.post({ by: other, tags: ['brocade'] });
    const shown = await world.post({ by: other, tags: ['brocade'] });
    const { slug } = await world.post({ by: writer, tags: ['brocade'] });
    await ok(reader, 'PUT', `users/${muted.username}/mute`, {});
    await ok(reader, 'PUT', `posts/${hidden.id}/hide`);
    await signIn(`/p/${slug}`);

    const linkTo = ({ id }: { id: string }) => page.locator(`[data-related="${id}"]`);
    for (const post of [ofMuted, hidden]) {
      expect(await linkTo(post).count()).toBe(1);
      await linkTo(post).waitFor({ state: 'hidden' });
    }
    expect(await linkTo(shown).isVisible()).toBe(true);
    await expectAccessible();
  });

  it('have buttons in the pages of a list that load on scroll', async () => {
    for (let at = 0; at < 21; at++) await world.post({ by: writer });
    await signIn('/latest');
    const last = page.locator('.card').nth(21);
    await page.locator('.card').nth(19).scrollIntoViewIfNeeded();
    await button('Save', last).click();
    await button('Saved', last).waitFor();
    const id = (await last.getAttribute('data-post'))!;
    await until(async () => (await stateOf(id)).isSaved || null);
  });

  it('take a comment, its change, a reply and its deletion, without a reload', async () => {
    await signIn(`/p/${post.slug}`);
    const discussion = page.locator('#comments');
    await page.getByLabel('Your comment').fill(`They **weave** ${VECTORS[0]}`);
    await button('Send').click();
    await discussion.locator('.comment strong', { hasText: 'weave' }).waitFor();
    expect(await page.getByLabel('Your comment').inputValue()).toBe('');

    const mine = discussion.locator('.comment', { hasText: 'weave' });
    await button('Edit', mine).click();
    await mine.getByLabel('Your comment').fill('They weave algebra.');
    await button('Send', mine).click();
    await mine.locator('.prose', { hasText: 'They weave algebra.' }).waitFor();
    await button('Reply', mine).click();
    await mine.getByLabel('Your reply').fill('And flowers.');
    await button('Send', mine).click();
    await discussion.locator('.comment', { hasText: 'And flowers.' }).waitFor();
    await expectAccessible();
    const [comment] = await commentsOf();
    expect(comment).toMatchObject({ content: 'They weave algebra.', isEdited: true, stats: { repliesCount: 1 } });

    await page.reload();
    const reply = discussion.locator('.thread .thread .comment');
    await button(/Like/, reply).click();
    await discussion.locator('.thread .thread [aria-pressed=true]', { hasText: '1' }).waitFor();
    page.once('dialog', (dialog) => void dialog.accept());
    await button('Delete', reply).click();
    await reply.getByText('This comment was deleted.').waitFor();
    await until(async () => (await commentsOf())[0].stats.repliesCount === 0 || null);
  });

  it('report, watch and follow, and keep a comment when the session ends', async () => {
    const comment = await world.comment({ by: writer, on: post.id, content: 'Buy looms.' });
    await signIn(`/p/${post.slug}`);
    await button('Report', page.locator(`[data-comment="${comment.id}"]`)).click();
    await page.getByRole('dialog').waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.getByLabel('What is wrong?').selectOption('Harassment');
    await page.getByLabel('Anything that').fill('It shouts.');
    await button('Send the report').press('Enter');
    await page.getByText('Your report was sent.').waitFor();
    await page.keyboard.press('Escape');
    const reports = await app.db.collection('reports').find({}).toArray();
    expect(reports).toMatchObject([{ reason: 'harassment', note: 'It shouts.' }]);

    await button('Watch comments').click();
    await until(async () => (await stateOf(post.id)).watch === 'watching' || null);
    await button('Follow').click();
    await button('Following').waitFor();
    await until(async () => (await ok(reader, 'GET', `viewer?users=${writer.id}`)).users[0].isFollowing || null);

    await page.getByLabel('Your comment').fill('Not lost.');
    // Its stream of notifications ends with the session.
    await ok(reader, 'DELETE', 'auth/sessions');
    await page.getByText('Your session has ended').waitFor();
    await submitSignIn(page, reader.username);
    await button('Send').click();
    await page.locator('.comment', { hasText: 'Not lost.' }).waitFor();
  });

  it('show a new notification at the bell, and sign out in the menu', async () => {
    const own = await world.post({ by: reader, title: 'Mine' });
    await signIn(`/p/${own.slug}`);
    expect(await page.getByRole('link', { name: 'Edit' }).getAttribute('href')).toBe(`/write?post=${own.id}`);
    await page.getByRole('link', { name: 'Notifications', exact: true }).waitFor();
    await world.comment({ by: writer, on: own.id });
    await drainActivity(app);
    await page.getByRole('link', { name: 'Notifications, 1 unread' }).waitFor();

    await menu().press('Enter');
    await page.getByRole('link', { name: 'Saved posts' }).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await page.getByRole('link', { name: 'Saved posts' }).isVisible()).toBe(false);
    await menu().press('Enter');
    await button('Sign out').click();
    await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).waitFor();
    expect(await page.locator('.own-part').first().isVisible()).toBe(false);
    await page.reload();
    await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).waitFor();
  });

  it('change how the reader stands to an account and to a collection', async () => {
    const { slug, id } = await world.collection({ by: writer, posts: [post.id] });
    const profile = `/u/${writer.username}`;
    // How far the first card is below the profile: the buttons of the reader must not move it.
    const distance = () =>
      page.evaluate<number>(
        `document.querySelector('.card').getBoundingClientRect().top - document.querySelector('.profile').getBoundingClientRect().top`,
      );
    await page.goto(app.url + profile);
    const ofVisitor = await distance();
    await signIn(profile);
    await button('Follow').waitFor();
    expect(await distance()).toBe(ofVisitor);
    const relation = async () => (await ok(reader, 'GET', `viewer?users=${writer.id}`)).users[0];
    await button('Follow').click();
    await button('Notify me of posts').click();
    await until(async () => (await relation()).hasBell || null);
    await button('Mute').click();
    await until(async () => (await relation()).isMuted || null);
    await button('Block').click();
    await until(async () => (await relation()).isBlocked || null);
    await expectAccessible();
    await button('Blocked').click();
    await until(async () => (await relation()).isBlocked === false || null);

    await page.goto(`${app.url}/collections/${slug}`);
    await button('Follow').click();
    await until(async () => (await ok(reader, 'GET', `viewer?collections=${id}`)).collections[0].isFollowing || null);
    await expectAccessible();
    await page.goto(`${app.url}/u/${reader.username}`);
    expect(await page.getByRole('link', { name: 'Edit my profile' }).getAttribute('href')).toBe('/settings');
  });

  it('follow a tag on its page, and show its posts in the following feed', async () => {
    await world.post({ by: writer, title: 'Jacquard', tags: ['weaving'] });
    await signIn('/tags/weaving');
    await page.getByText('0 followers').waitFor();
    await button('Follow').click();
    await until(async () => (await ok(reader, 'GET', 'viewer?tags=weaving')).tags[0].isFollowing || null);
    await button('Following').waitFor();
    await expectAccessible();
    await page.goto(`${app.url}/following`);
    await page.getByRole('link', { name: 'Jacquard' }).first().waitFor();
  });

  it('have the language of the site, and what runs in the browser has that of the reader', async () => {
    const context = await browser().newContext({ locale: 'de-AT' });
    const german = await context.newPage();
    await german.goto(`${app.url}/forgot-password`);
    await german.getByRole('heading', { name: 'Passwort vergessen' }).waitFor();
    expect(await german.locator('#frame').getAttribute('lang')).toBe('de');
    expect(await axeProblems(german)).toEqual([]);
    await german.goto(`${app.url}/p/${post.slug}`);
    await german.getByRole('link', { name: 'Sign in to comment' }).waitFor();
    await context.close();
  });

  it('show all replies to a comment at a URL of their own, also without scripts', async () => {
    const { id } = await world.comment({ by: writer, on: post.id, content: 'The root.' });
    for (let at = 1; at <= 12; at++)
      await world.comment({ by: writer, on: post.id, parentId: id, content: `Reply ${at}.` });
    const other = await world.post({ by: writer, title: 'Other' });
    const context = await browser().newContext({ javaScriptEnabled: false });
    const plain = await context.newPage();
    await plain.goto(`${app.url}/p/${post.slug}`);
    expect(await plain.locator('.comment').count()).toBe(11);
    await plain.getByRole('link', { name: '2 more replies' }).click();
    expect(new URL(plain.url()).search).toBe(`?replies=${id}`);
    expect(await plain.locator('.comment').count()).toBe(13);
    await plain.goto(`${app.url}/p/${other.slug}?replies=${id}`);
    expect(await plain.locator('.comment').count()).toBe(0);
    expect((await plain.goto(`${app.url}/p/${post.slug}?replies=x`))!.status()).toBe(400);
    await context.close();
  });
});
