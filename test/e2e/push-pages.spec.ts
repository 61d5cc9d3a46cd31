import { createECDH, createHash, randomBytes } from 'node:crypto';
import type { BrowserContext, Page, Worker } from 'playwright-core';
import { useApp } from '../support/app.js';
import { axeProblems } from '../support/axe.js';
import { submitSignIn, useBrowser } from '../support/browser.js';
import { describeWith } from '../support/optional.js';
import { until } from '../support/until.js';
import { drainActivity, verbsOf } from '../support/verbs.js';
import type { PersonWithPassword } from '../support/world.js';

const env = { WEB_PUSH_PRIVATE_KEY: randomBytes(32).toString('base64url'), WEB_PUSH_SUBJECT: 'mailto:o@example.org' };
const ENDPOINT = 'https://push.example.org/wpush/v2/1';
const KEYS = {
  p256dh: createECDH('prime256v1').generateKeys().toString('base64url'),
  auth: randomBytes(16).toString('base64url'),
};
const ID = createHash('sha256').update(ENDPOINT).digest('base64url');

/** Debian's Chromium has no push service. This one keeps its subscription in the browser, as a real one does. */
const PUSH_SERVICE = `
  const subscription = () => ({
    endpoint: '${ENDPOINT}',
    toJSON: () => ({ endpoint: '${ENDPOINT}', expirationTime: null, keys: ${JSON.stringify(KEYS)} }),
    unsubscribe: async () => localStorage.removeItem('subscribed'),
  });
  Object.assign(PushManager.prototype, {
    getSubscription: async () => (localStorage.getItem('subscribed') === null ? null : subscription()),
    subscribe: async (options) => {
      localStorage.setItem('subscribed', JSON.stringify(options));
      return subscription();
    },
  });
`;

describeWith('chromium', 'push messages of the site', (executablePath) => {
  const app = useApp({ env, oneHost: 'a browser reads pages of one server' });
  const { world } = app;
  const { ok } = verbsOf(app);
  const browser = useBrowser(executablePath);
  let context: BrowserContext;
  let page: Page;
  let person: PersonWithPassword;

  beforeEach(async () => {
    context = await browser().newContext();
    page = await context.newPage();
    page.setDefaultTimeout(60_000);
    person = await world.person({ overHttp: true });
  });
  afterEach(() => context.close());

  const pushSwitch = () => page.getByRole('switch', { name: 'Push messages in this browser' });
  const hint = (text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();
  const subscriptions = async () => (await ok(person, 'GET', 'notifications/push-subscriptions')).data;

  /** Opens the settings after the permission was given or refused before; `prompt`: it was not asked for. */
  async function open(setting: 'granted' | 'denied' | 'prompt'): Promise<void> {
    const session = await browser().newBrowserCDPSession();
    const { targetInfos } = await session.send('Target.getTargets');
    const browserContextId = targetInfos.find(
      ({ type, url }) => type === 'page' && url === 'about:blank',
    )!.browserContextId!;
    for (const name of ['notifications', 'push'])
      await session.send('Browser.setPermission', {
        permission: { name, ...(name === 'push' && { userVisibleOnly: true }) },
        setting,
        origin: app.url,
        browserContextId,
      });
    await page.goto(`${app.url}/settings/notifications`);
    await submitSignIn(page, person.username);
    await pushSwitch().waitFor();
  }

  it('are turned on and off by a switch, which knows this browser again', async () => {
    await page.addInitScript(PUSH_SERVICE);
    await open('granted');
    await hint('asks for permission first');
    await pushSwitch().click();
    await hint('You get the kinds');
    expect(await subscriptions()).toMatchObject([{ id: ID, host: 'push.example.org' }]);
    const { publicKey } = await ok(person, 'GET', 'notifications/push-key');
    const options = await page.evaluate(`localStorage.getItem('subscribed')`);
    expect(JSON.parse(options as string)).toEqual({ userVisibleOnly: true, applicationServerKey: publicKey });

    await page.reload();
    await hint('You get the kinds');
    await page.getByText('This browser', { exact: true }).waitFor();
    expect(await pushSwitch().isChecked()).toBe(true);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await axeProblems(page)).toEqual([]);
    }
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);

    await pushSwitch().focus();
    await page.keyboard.press('Space');
    await hint('asks for permission first');
    expect(await subscriptions()).toEqual([]);
    await until(async () => (await page.evaluate(`localStorage.getItem('subscribed') === null`)) || null);
  });

  it('are off for another account of this browser', async () => {
    await page.addInitScript(PUSH_SERVICE);
    await open('granted');
    await pushSwitch().click();
    await hint('You get the kinds');
    await context.clearCookies();
    await page.evaluate(`localStorage.removeItem('signed-in')`);
    const other = await world.person({ overHttp: true });

    await page.goto(`${app.url}/settings/notifications`);
    await submitSignIn(page, other.username);
    await hint('asks for permission first');

    expect(await pushSwitch().isChecked()).toBe(false);
    expect(await subscriptions()).toHaveLength(1);
  });

  it('ask for permission only after a click, and say when it was refused', async () => {
    await page.addInitScript(`
      window.asked = 0;
      Notification.requestPermission = async () => (window.asked++, 'denied');
    `);
    await open('prompt');
    await hint('asks for permission first');
    expect(await page.evaluate('window.asked')).toBe(0);
    await pushSwitch().click();
    await hint('blocks notifications');
    expect(await page.evaluate('window.asked')).toBe(1);
    expect(await pushSwitch().isDisabled()).toBe(true);
  });

  it('cannot be turned on where the browser blocks notifications', async () => {
    await open('denied');
    await hint('blocks notifications');
    expect(await pushSwitch().isDisabled()).toBe(true);
  });

  it('cannot be turned on where the browser has none', async () => {
    await page.addInitScript('delete window.PushManager');
    await open('granted');
    await hint('cannot receive push messages');
    expect(await pushSwitch().isDisabled()).toBe(true);
  });

  it('say when the push service of the browser cannot be reached', async () => {
    await page.addInitScript(`PushManager.prototype.subscribe = async () => { throw new Error('no service'); };`);
    await open('granted');
    await pushSwitch().click();
    await page.getByRole('alert').filter({ hasText: 'could not reach its push service' }).waitFor();
    expect(await subscriptions()).toEqual([]);
  });

  describe('that arrive', () => {
    let worker: Worker;
    let deliver: (data: object) => Promise<void>;

    beforeEach(async () => {
      await page.addInitScript(PUSH_SERVICE);
      await open('granted');
      const session = await context.newCDPSession(page);
      let registrationId: string | undefined;
      session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        registrationId = registrations[0]?.registrationId ?? registrationId;
      });
      await session.send('ServiceWorker.enable');
      await pushSwitch().click();
      await hint('You get the kinds');
      worker = await until(() => context.serviceWorkers()[0]);
      await until(() => registrationId);
      deliver = (data) =>
        session
          .send('ServiceWorker.deliverPushMessage', {
            origin: app.url,
            registrationId: registrationId!,
            data: JSON.stringify(data),
          })
          .then(() => undefined);
    });

    /** What the browser shows now. */
    const shown = () =>
      page.evaluate<{ title: string; body: string; tag: string; data: string }[]>(
        `navigator.serviceWorker.getRegistration('/assets/').then(async (registration) =>
          (await registration.getNotifications()).map(({ title, body, tag, data }) => ({ title, body, tag, data })))`,
      );

    it('show the notification, and open its post on a click', async () => {
      const author = await world.person({ fullName: 'Charles Babbage' });
      const { id: post, slug } = await world.post({ by: person, title: 'On looms' });
      const comment = await world.comment({ by: author, on: post, content: 'The third table settles it.' });
      await drainActivity(app);
      const [{ id }] = (await ok(person, 'GET', 'notifications')).data;

      await deliver({ kind: 'comment', id });
      const notification = await until(async () => (await shown())[0]);

      const path = `/p/${slug}#comment-${comment.id}`;
      expect(notification).toEqual({
        title: 'Charles Babbage commented on On looms',
        body: 'The third table settles it.',
        tag: id,
        data: path,
      });
      // A browser opens windows only after a click by hand.
      const opened = await worker.evaluate(`new Promise((resolve) => {
        clients.openWindow = async (path) => resolve(path);
        registration.getNotifications().then(([notification]) =>
          dispatchEvent(new NotificationEvent('notificationclick', { notification })));
      })`);
      expect(opened).toBe(path);
      await until(async () => (await shown()).length === 0 || null);
    });

    it('show that there is one after the sign-out, without its text', async () => {
      await context.clearCookies();
      await deliver({ kind: 'follow', id: 'AAAAAAAAAAAAAAAAAAAAAA' });
      const notification = await until(async () => (await shown())[0]);
      expect(notification).toMatchObject({ title: 'You have a new notification.', body: '', data: '/notifications' });
    });
  });
});
