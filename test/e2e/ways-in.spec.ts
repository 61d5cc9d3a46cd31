import { ObjectId } from 'mongodb';
import { type Browser, chromium } from 'playwright-core';
import { OneTimeTokensService } from '../../src/auth/one-time-tokens.service.js';
import { PASSWORD_RESET } from '../../src/auth/token-kinds.js';
import { AppConfig } from '../../src/config/app-config.js';
import { queuedMails } from '../support/mails.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { startApp, type TestApp } from '../support/app.js';
import { SUBJECTS } from '../support/account-mails.js';
import { addApp } from '../support/authenticator-app.js';
import type { Answer } from '../support/client.js';
import { CLIENT, FormBrowser, TestProvider } from '../support/oidc-provider.js';
import { describeWith } from '../support/optional.js';
import { mendClock, shiftClock } from '../support/shifted-clock.js';
import { anAddress } from '../support/smtp.js';
import { Device, serveSite } from '../support/virtual-authenticator.js';

const RETURN_TO = 'http://localhost:5173/signed-in';
const DAY_MS = 86_400_000;
const ELEVEN_MINUTES_MS = 660_000;
const PROVIDERS = ['idp', 'other'] as const;

type Account = { token: string; refreshToken: string; password?: string };

/** Combines passwords, providers, passkeys and authenticator apps on one account. */
describeWith('chromium', 'the ways into an account', (executablePath) => {
  const provider = new TestProvider();
  const devices: Device[] = [];
  let app: TestApp;
  let browser: Browser;
  let site: Awaited<ReturnType<typeof serveSite>>;
  let people = 0;

  beforeAll(async () => {
    const issuer = await provider.start();
    site = await serveSite();
    app = await startApp({
      env: {
        HTTP_PUBLIC_URL: 'http://127.0.0.1:3000',
        AUTH_OIDC_PROVIDERS: JSON.stringify(
          Object.fromEntries(PROVIDERS.map((name) => [name, { issuer, ...CLIENT, domains: ['*'] }])),
        ),
        AUTH_RETURN_ORIGINS: new URL(RETURN_TO).origin,
        AUTH_PASSKEY_ORIGINS: site.origin,
      },
    });
    // The port of the app is known only now.
    for (const { http } of app.everyOf(AppConfig)) http.publicUrl = app.url;
    provider.serve(...PROVIDERS.map((name) => `${app.url}/v1/auth/oidc/${name}/callback`));
    const args = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'];
    browser = await chromium.launch({ executablePath, args });
  });
  afterEach(async () => {
    mendClock();
    for (const device of devices.splice(0)) await device.close();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
    await provider.stop();
    await site.close();
  });

  async function device(): Promise<Device> {
    const opened = await Device.open(browser, app.url, site.origin);
    devices.push(opened);
    return opened;
  }
  function person(email?: string): string {
    const sub = `person-${++people}`;
    const claims = { email: email ?? `${sub}@example.org`, email_verified: true, name: 'Ada Lovelace' };
    provider.people.set(sub, claims);
    return sub;
  }
  /** Returns the code of a sign-in at a provider. */
  async function codeOf(sub: string, url: string): Promise<string> {
    const own = new FormBrowser();
    const { location } = await own.send(await own.until(`${app.url}/v1/auth/oidc/`, url, sub));
    return new URL(location!).searchParams.get('code')!;
  }
  async function signInWith(name: string, sub: string): Promise<Account & { status: number; id: string }> {
    const code = await codeOf(sub, `${app.url}/v1/auth/oidc/${name}/start?returnTo=${encodeURIComponent(RETURN_TO)}`);
    const { status, body } = await app.client.post('/v1/auth/exchange', { body: { code } });
    return { status, id: body.user?.id, token: body.accessToken, refreshToken: body.refreshToken };
  }
  async function link({ token, password }: Account, name: string, sub: string): Promise<void> {
    const path = `/v1/auth/identities/${name}`;
    const { url } = (await app.client.post(path, { token, body: { returnTo: RETURN_TO, password } })).body;
    expect((await app.client.put(path, { token, body: { code: await codeOf(sub, url) } })).status).toBe(200);
  }
  /** Returns the token of the latest mail of this kind. */
  async function mailed(address: string, subject: keyof typeof SUBJECTS): Promise<string> {
    const mails = await queuedMails(app);
    const { link } = mails.findLast((mail) => mail.to === address && mail.subject === SUBJECTS[subject])!;
    return link!.split('#token=')[1]!;
  }
  const confirm = async (address: string): Promise<void> => {
    const body = { token: await mailed(address, 'confirm') };
    expect((await app.client.put('/v1/auth/email-verification', { body })).status).toBe(204);
  };

  it('that a thief added are removed when the owner undoes the new address, and the owner’s earlier ones stay', async () => {
    const owner = await app.world.person({ overHttp: true });
    const { token, password } = owner;
    const userId = new ObjectId(owner.id);
    await confirm(owner.email);
    const [phone, thiefsPhone] = [await device(), await device()];
    await phone.addPasskey(token, password, 'Phone');
    const self = person();
    await link(owner, 'idp', self);
    for (const name of ['passkeys', 'identities'])
      await app.db.collection(name).updateMany({ userId }, { $set: { createdAt: new Date(Date.now() - 2 * DAY_MS) } });

    // The thief uses the owner's token and password, and adds the first passkey before the change is requested.
    await app.world.passkey({ _id: userId });
    const address = anAddress();
    expect((await app.client.put('/v1/auth/email', { token, body: { email: address, password } })).status).toBe(202);
    await confirm(address);
    expect((await thiefsPhone.addPasskey(token, password, 'Thief')).status).toBe(201);
    const thief = person(address);
    await link(owner, 'other', thief);
    const apiToken = await app.world.apiToken({ by: owner, scopes: ['read'] });
    await addApp(app.client, owner);
    const signedIn = (await thiefsPhone.signIn()).answer;
    expect(signedIn.user.id).toBe(owner.id);

    const undo = { body: { token: await mailed(owner.email, 'emailChanged') } };
    expect((await app.client.put('/v1/auth/email/undo', undo)).status).toBe(204);
    for (const ended of [token, signedIn.accessToken, apiToken.token])
      expect((await app.client.get('/v1/drafts', { token: ended })).status).toBe(401);
    for (const refreshToken of [owner.refreshToken, signedIn.refreshToken])
      expect((await app.client.post('/v1/auth/refresh', { body: { refreshToken } })).status).toBe(401);
    expect((await thiefsPhone.signIn()).status).toBe(401);
    // The address is free again, and the thief registers with it.
    const begun = await signInWith('other', thief);
    expect([begun.status, begun.id === owner.id]).toEqual([200, false]);

    const byPasskey = await phone.signIn();
    expect([byPasskey.status, byPasskey.answer.user.email]).toEqual([200, owner.email]);
    // The sign-in requires no code of the thief's app.
    const back = await signInWith('idp', self);
    expect([back.status, back.id]).toEqual([200, owner.id]);
    const list = async (path: string) => (await app.client.get(path, { token: back.token })).body.data;
    expect(await list('/v1/auth/passkeys')).toMatchObject([{ name: 'Phone' }]);
    expect(await list('/v1/auth/identities')).toMatchObject([{ provider: 'idp' }]);
    expect(await list('/v1/auth/tokens')).toEqual([]);
  });

  it('that a stranger with the address has added are removed when its reader sets a password', async () => {
    const stranger = await app.world.person({ overHttp: true });
    const phone = await device();
    expect((await phone.addPasskey(stranger.token, stranger.password, 'Stranger')).status).toBe(201);
    const self = person();
    await link(stranger, 'idp', self);
    await addApp(app.client, stranger);

    const { email } = stranger;
    const password = 'chosen by the reader';
    // Issues the token that the jobs process would mail to the reader of the address.
    const token = await app.app
      .get(MongoService)
      .transaction((tx) =>
        app.app.get(OneTimeTokensService).issue(PASSWORD_RESET, new ObjectId(stranger.id), { email }, tx),
      );
    const reset = { body: { token, password } };
    expect((await app.client.put('/v1/auth/password-reset', reset)).status).toBe(204);

    expect((await phone.signIn()).status).toBe(401);
    expect((await signInWith('idp', self)).id).not.toBe(stranger.id);
    const signedIn = await app.client.post('/v1/auth/login', { body: { login: email, password } });
    expect([signedIn.status, signedIn.body.user?.id]).toEqual([200, stranger.id]);
  });

  describe('without a password', () => {
    const askAll = ({ token }: Account, password?: string): Promise<Answer[]> =>
      Promise.all([
        app.patient.post('/v1/auth/totp', { token, body: { password } }),
        app.patient.post('/v1/auth/passkeys/options', { token, body: { password } }),
        app.patient.post('/v1/auth/identities/other', { token, body: { password, returnTo: RETURN_TO } }),
        app.patient.post('/v1/auth/tokens', { token, body: { password, name: 'a program', scopes: ['read'] } }),
        app.patient.put('/v1/auth/email', { token, body: { password, email: anAddress() } }),
        app.patient.put('/v1/auth/password', {
          token,
          body: { currentPassword: password, newPassword: 'another one' },
        }),
        app.patient.delete('/v1/users/me', { token, body: { password } }),
      ]);
    const codesOf = (answers: Answer[]) => answers.map(({ status, body }) => `${status} ${body.code ?? ''}`);
    const refused = (code: string) => Array<string>(7).fill(`401 ${code}`);

    it('can use a sign-in of the last ten minutes in place of the password', async () => {
      const account = await signInWith('idp', person());
      const { token } = account;
      const [totp, options] = [
        await app.client.post('/v1/auth/totp', { token, body: {} }),
        await app.client.post('/v1/auth/passkeys/options', { token, body: {} }),
      ];
      expect([totp.status, options.status]).toEqual([201, 200]);
      const move = await app.client.put('/v1/auth/email', { token, body: { email: anAddress() } });
      const chosen = await app.client.put('/v1/auth/password', { token, body: { newPassword: 'chosen just now' } });
      expect([move.status, chosen.status]).toEqual([202, 204]);
      // The account has a password from now on.
      expect(codesOf(await askAll(account))).toEqual(refused('invalid_credentials'));
      const other = await signInWith('idp', person());
      expect((await app.client.delete('/v1/users/me', { token: other.token, body: {} })).status).toBe(204);
    });

    it('need a new sign-in after that, by a provider or a passkey; a refresh does not count', async () => {
      const sub = person();
      const account = await signInWith('idp', sub);
      const phone = await device();
      expect((await phone.addPasskey(account.token, undefined, 'Phone')).status).toBe(201);
      shiftClock(ELEVEN_MINUTES_MS);
      expect(codesOf(await askAll(account))).toEqual(refused('recent_sign_in_required'));
      const { refreshToken } = account;
      const renewed = (await app.client.post('/v1/auth/refresh', { body: { refreshToken } })).body;
      expect(codesOf(await askAll({ ...account, token: renewed.accessToken }))).toEqual(
        refused('recent_sign_in_required'),
      );
      const start = (token: string) => app.client.post('/v1/auth/totp', { token, body: {} });
      expect((await start((await signInWith('idp', sub)).token)).status).toBe(201);
      expect((await start((await phone.signIn()).answer.accessToken)).status).toBe(201);
    });

    it('have no valid password', async () => {
      const account = await signInWith('idp', person());
      expect(codesOf(await askAll(account, 'any password'))).toEqual(refused('invalid_credentials'));
    });
  });

  it('need the password if there is one, after any sign-in', async () => {
    const { token } = await app.world.person({ overHttp: true });
    const { status, body } = await app.client.post('/v1/auth/totp', { token, body: {} });
    expect([status, body.code, body.errors[0].field]).toEqual([401, 'invalid_credentials', 'password']);
  });
});
