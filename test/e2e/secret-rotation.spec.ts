import { Binary, ObjectId } from 'mongodb';
import { LoginThrottle } from '../../src/auth/login-throttle.js';
import type { Webhook } from '../../src/webhooks/webhook.schema.js';
import { WebhooksService } from '../../src/webhooks/webhooks.service.js';
import { startApp, type TestApp } from '../support/app.js';
import { codeOf, addApp } from '../support/authenticator-app.js';
import { runCli } from '../support/cli.js';

const OLD = 'the old secret of more than forty characters!';
const NEW = 'the new secret of more than forty characters!';

/** Runs the servers of a rotation on one database, one after the other. */
describe('while the secret is being changed', () => {
  const database = `test_${process.pid}_${new ObjectId().toHexString()}`;
  const servers: TestApp[] = [];
  const serve = async (secrets: Record<string, string>): Promise<TestApp> => {
    const server = await startApp({
      env: {
        MONGODB_DATABASE: database,
        RATE_LIMIT_ENABLED: 'true',
        RATE_LIMIT_AUTH_PER_MINUTE: '1000000',
        HTTP_TRUSTED_PROXIES: '127.0.0.1',
        ...secrets,
      },
    });
    servers.push(server);
    return server;
  };
  let before: TestApp;
  let during: TestApp;
  let after: TestApp;

  beforeAll(async () => {
    before = await serve({ AUTH_TOKEN_SECRET: OLD });
    during = await serve({ AUTH_TOKEN_SECRETS: `${NEW}, ${OLD}` });
    after = await serve({ AUTH_TOKEN_SECRET: NEW });
  });
  afterAll(async () => {
    await servers[0]?.db.dropDatabase();
    for (const server of servers) await server.close();
  });

  const meOf = async (server: TestApp, token: string) => (await server.client.get('/v1/auth/me', { token })).status;
  const createPost = (server: TestApp, token: string, key: string) =>
    server.client.post('/v1/posts', {
      token,
      headers: { 'idempotency-key': key },
      body: { title: 'Notes', content: 'The engine weaves patterns.', type: 'article' },
    });

  it('access tokens of the old one are valid until it leaves the list', async () => {
    const { token } = await before.world.person({ overHttp: true });
    expect([await meOf(during, token), await meOf(after, token)]).toEqual([200, 401]);
    const { token: fresh } = await during.world.person({ overHttp: true });
    expect([await meOf(before, fresh), await meOf(after, fresh)]).toEqual([401, 200]);
  });

  it('cursors of the old one are valid until it leaves the list', async () => {
    const { token } = await before.world.person({ overHttp: true });
    for (let post = 0; post < 3; post++) await createPost(before, token, `cursor-${post}`);
    const page = (server: TestApp, cursor: string) => server.client.get(`/v1/feed?sort=latest&limit=1${cursor}`);
    const cursorOf = async (server: TestApp) => `&cursor=${(await page(server, '')).body.page.nextCursor as string}`;
    const old = await cursorOf(before);
    const answers = [await page(before, old), await page(during, old), await page(after, old)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400]);
    expect(answers[1]!.body.data).toEqual(answers[0]!.body.data);
    expect(answers[2]!.body.code).toBe('invalid_cursor');
    const fresh = await cursorOf(during);
    expect([(await page(before, fresh)).status, (await page(after, fresh)).status]).toEqual([400, 200]);
  });

  it('a repeated request finds its first response on a host a step ahead', async () => {
    const { token, username, password } = await before.world.person({ overHttp: true });
    const first = await createPost(before, token, 'repeated');
    const again = await createPost(during, token, 'repeated');
    expect([first.status, again.status, again.body.id]).toEqual([201, 201, first.body.id]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');

    const kept = await createPost(during, token, 'other-way');
    expect(kept.status).toBe(201);
    expect((await createPost(before, token, 'other-way')).body.id).toBe(kept.body.id);
    const fresh = (await during.client.post('/v1/auth/login', { body: { login: username, password } })).body;
    expect((await createPost(after, fresh.accessToken, 'other-way')).body.id).toBe(kept.body.id);
  });

  it('hosts of two steps run a concurrent request once', async () => {
    const { token, id } = await before.world.person({ overHttp: true });
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => createPost(index % 2 === 0 ? before : during, token, 'at-once')),
    );
    for (const { status } of answers) expect([201, 409]).toContain(status);
    expect(new Set(answers.filter(({ status }) => status === 201).map(({ body }) => body.id as string)).size).toBe(1);
    expect(await before.db.collection('posts').countDocuments({ authorId: new ObjectId(id) })).toBe(1);
  });

  it('a refresh whose response was lost can be sent again to a host that is a step ahead', async () => {
    const { refreshToken } = await before.world.person({ overHttp: true });
    const refresh = (server: TestApp, token: string) =>
      server.client.post('/v1/auth/refresh', { body: { refreshToken: token } });
    const next = (await refresh(before, refreshToken)).body.refreshToken as string;
    expect((await refresh(during, refreshToken)).body.refreshToken).toBe(next);
    // Refresh tokens need no secret.
    expect((await refresh(after, next)).status).toBe(200);
  });

  it('second factors and webhooks survive it when they are encrypted again with a key of their own', async () => {
    const account = await before.world.person({ overHttp: true });
    const hook = await before.world.webhook({ by: account });
    const { secret } = await addApp(before.client, account);
    const own = 'a key of its own of more than forty characters';
    const logIn = async (server: TestApp, steps: number) => {
      const { username: login, password } = account;
      const { mfaToken } = (await server.client.post('/v1/auth/login', { body: { login, password } })).body;
      const body = { mfaToken, code: codeOf(secret, steps) };
      return (await server.client.post('/v1/auth/login/second-factor', { body })).status;
    };
    const both = { AUTH_TOKEN_SECRET: NEW, AUTH_ENCRYPTION_KEYS: `${own},${OLD}` };
    const changing = await serve(both);
    const changed = await serve({ AUTH_TOKEN_SECRET: NEW, AUTH_ENCRYPTION_KEYS: own });
    // A missing key is an error, not a wrong code.
    expect([await logIn(changed, 0), await logIn(changing, 0)]).toEqual([500, 200]);
    // Stores an unfinished set-up, encrypted with a key that is no longer configured.
    const factors = before.db.collection('second_factors');
    const lost = {
      ...(await factors.findOne())!,
      _id: new ObjectId('0'.repeat(24)),
      totp: new Binary(Buffer.alloc(60)),
    };
    await factors.insertOne(lost);
    const failed = await runCli(changing, ['secrets', 'reseal'], both);
    expect([failed.status, failed.text]).toEqual([1, expect.stringContaining(`accounts: ${lost._id.toHexString()}`)]);
    await factors.deleteOne({ _id: lost._id });
    const resealed = { status: 0, text: expect.stringContaining('2 secrets re-encrypted.') };
    expect(await runCli(changing, ['secrets', 'reseal'], both)).toEqual(resealed);
    expect([await logIn(before, 1), await logIn(changed, 1)]).toEqual([500, 200]);
    const stored = await before.db.collection<Webhook>('webhooks').findOne({ _id: new ObjectId(hook.id) });
    const secretsOf = ({ app }: TestApp) => app.get(WebhooksService).secretsOf(stored!);
    expect([secretsOf(before), secretsOf(changed)]).toEqual([null, expect.objectContaining({ current: hook.secret })]);
  });

  it('the owner can sign in from known networks while others guess', async () => {
    const { username, password } = await before.world.person({ overHttp: true });
    const logIn = (secret: string, address: string) =>
      during.client.post('/v1/auth/login', {
        headers: { 'x-forwarded-for': address },
        body: { login: username, password: secret },
      });
    // Stops the clock, because another guess would be checked a second after the third.
    const now = new Date();
    during.app.get(LoginThrottle).failures.now = () => now;
    for (let guess = 0; guess < 3; guess++) await logIn('not the password', `10.0.0.${guess}`);
    expect((await logIn(password, '10.0.1.1')).status).toBe(429);
    expect((await logIn(password, '127.0.0.1')).status).toBe(200);
  });
});
