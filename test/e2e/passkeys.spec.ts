import { ObjectId } from 'mongodb';
import { type Browser, chromium } from 'playwright-core';
import { queuedMails } from '../support/mails.js';
import { startApp, type TestApp } from '../support/app.js';
import { type TestAccount } from '../support/accounts.js';
import { addApp } from '../support/authenticator-app.js';
import { describeWith } from '../support/optional.js';
import { expectProblem } from '../support/problem.js';
import { Device, serveSite } from '../support/virtual-authenticator.js';

/** Uses a real browser with its own authenticator, at a site that uses the API. */
describeWith('chromium', 'passkeys in a browser', (executablePath) => {
  let app: TestApp;
  let browser: Browser;
  let site: Awaited<ReturnType<typeof serveSite>>;
  let otherSite: Awaited<ReturnType<typeof serveSite>>;
  const devices: Device[] = [];

  beforeAll(async () => {
    [site, otherSite] = await Promise.all([serveSite(), serveSite()]);
    app = await startApp({ env: { AUTH_PASSKEY_ORIGINS: site.origin } });
    browser = await chromium.launch({
      executablePath,
      args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    });
  });
  afterEach(async () => {
    for (const device of devices.splice(0)) await device.close();
  });
  afterAll(async () => {
    await browser?.close();
    await Promise.all([site.close(), otherSite.close()]);
    await app?.close();
  });

  async function device(): Promise<Device> {
    const opened = await Device.open(browser, app.url, site.origin);
    devices.push(opened);
    return opened;
  }
  const listOf = async ({ token }: TestAccount) => (await app.client.get('/v1/auth/passkeys', { token })).body.data;
  const rows = () => app.db.collection('passkeys');
  const replay = (body: object) => app.client.post('/v1/auth/passkeys/login', { body });

  it('sign in as both factors, without a name or a password', async () => {
    const account = await app.world.person({ overHttp: true });
    await addApp(app.client, account);
    const phone = await device();
    const added = await phone.addPasskey(account.token, account.password, 'Phone');
    expect([added.status, added.answer]).toEqual([201, expect.objectContaining({ name: 'Phone', lastUsedAt: null })]);
    const { status, answer } = await phone.signIn();
    expect([status, answer.user.id]).toEqual([200, account.id]);
    expect((await app.client.get('/v1/auth/me', { token: answer.accessToken })).status).toBe(200);
    expect(await listOf(account)).toEqual([{ ...added.answer, lastUsedAt: expect.stringMatching(/Z$/) }]);
    const sent = (await queuedMails(app)).filter(({ to }) => to === account.email);
    expect(sent.map(({ subject }) => subject)).toContain('Your account has a new passkey');
  });

  it('are refused when a response is sent again', async () => {
    const account = await app.world.person({ overHttp: true });
    const phone = await device();
    const added = await phone.addPasskey(account.token, account.password, 'Phone');
    const { status, body } = await phone.signIn();
    expect(status).toBe(200);
    const again = await replay(body);
    expectProblem(again, 401, 'invalid_credentials');
    // Some authenticators do not count signatures, so the challenge alone must be sufficient.
    await rows().updateOne({ _id: new ObjectId(added.answer.id) }, { $set: { counter: 0 } });
    expect((await replay(body)).status).toBe(401);
    expect((await app.client.post('/v1/auth/passkeys', { token: account.token, body: added.body })).body.code).toBe(
      'invalid_passkey',
    );
  });

  it('are refused when their signature counter decreases, because a copy exists', async () => {
    const account = await app.world.person({ overHttp: true });
    const phone = await device();
    await phone.addPasskey(account.token, account.password, 'Phone');
    await phone.setSignCount(50);
    expect((await phone.signIn()).status).toBe(200);
    await phone.setSignCount(10);
    const { status, answer } = await phone.signIn();
    expect([status, answer.code]).toEqual([401, 'invalid_credentials']);
  });

  it('are refused when created or used on another origin', async () => {
    const account = await app.world.person({ overHttp: true });
    const phone = await device();
    await phone.visit(otherSite.origin);
    const { status, answer } = await phone.addPasskey(account.token, account.password, 'Phone');
    expect([status, answer.code]).toEqual([400, 'invalid_passkey']);
    expect(await listOf(account)).toEqual([]);
    await phone.visit(site.origin);
    expect((await phone.addPasskey(account.token, account.password, 'Phone')).status).toBe(201);
    await phone.visit(otherSite.origin);
    const attempt = await phone.signIn();
    expect([attempt.status, attempt.answer.code]).toEqual([401, 'invalid_credentials']);
    await phone.visit(site.origin);
    expect((await phone.signIn()).status).toBe(200);
  });

  it('are refused once removed, and are 404 to another deletion', async () => {
    const account = await app.world.person({ overHttp: true });
    const phone = await device();
    const { id } = (await phone.addPasskey(account.token, account.password, 'Phone')).answer as { id: string };
    const stranger = await app.world.person({ overHttp: true });
    const path = `/v1/auth/passkeys/${id}`;
    for (const method of ['DELETE', 'PATCH']) {
      const body = method === 'PATCH' ? { name: 'Mine' } : undefined;
      expect((await app.client.request(method, path, { token: stranger.token, body })).status).toBe(404);
    }
    const renamed = await app.client.patch(path, { token: account.token, body: { name: ' Old phone ' } });
    expect([renamed.status, renamed.body.name]).toEqual([200, 'Old phone']);
    expect((await app.client.delete(path, { token: account.token })).status).toBe(204);
    expect((await phone.signIn()).status).toBe(401);
    expect((await app.client.delete(path, { token: account.token })).status).toBe(404);
  });

  it('are added by the owner only: with the password, and with options of the account', async () => {
    const [account, thief] = [await app.world.person({ overHttp: true }), await app.world.person({ overHttp: true })];
    const phone = await device();
    const options = await app.client.post('/v1/auth/passkeys/options', {
      token: account.token,
      body: { password: 'wrong one' },
    });
    expectProblem(options, 401, 'invalid_credentials');
    const added = await phone.addPasskey(thief.token, thief.password, 'Mine', account.token);
    expect([added.status, added.answer.code]).toEqual([400, 'invalid_passkey']);
    expect(await listOf(account)).toEqual([]);
  });

  it('are limited to 20, and the last way to sign in cannot be removed', async () => {
    const account = await app.world.person({ overHttp: true });
    const { token, password } = account;
    const userId = new ObjectId(account.id);
    const others: ObjectId[] = [];
    for (let count = 0; count < 19; count++) others.push(new ObjectId(await app.world.passkey({ _id: userId })));
    const phone = await device();
    const tablet = await device();
    const added = await Promise.all([phone, tablet].map((one) => one.addPasskey(token, password, 'One')));
    expect(added.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(await listOf(account)).toHaveLength(20);
    const more = await app.client.post('/v1/auth/passkeys/options', { token, body: { password } });
    expectProblem(more, 409, 'too_many_passkeys');

    // Simulates an account created by a provider.
    await app.db.collection('credentials').updateOne({ _id: userId }, { $set: { passwordHash: null } });
    await rows().deleteMany({ userId, _id: { $nin: others.slice(0, 2) } });
    const removed = await Promise.all(
      others.slice(0, 2).map((_id) => app.client.delete(`/v1/auth/passkeys/${_id.toHexString()}`, { token })),
    );
    expect(removed.map(({ status }) => status).sort()).toEqual([204, 409]);
    expect(removed.map(({ body }) => body.code as string | undefined)).toContain('last_sign_in_method');
    expect(await listOf(account)).toHaveLength(1);
  });

  it('are forgotten with the account', async () => {
    const account = await app.world.person({ overHttp: true });
    const { token, password } = account;
    const phone = await device();
    await phone.addPasskey(token, password, 'Phone');
    expect((await app.client.delete('/v1/users/me', { token, body: { password } })).status).toBe(204);
    expect(await rows().countDocuments({ userId: new ObjectId(account.id) })).toBe(0);
    expect((await phone.signIn()).status).toBe(401);
  });
});
