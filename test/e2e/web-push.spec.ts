import { execFileSync } from 'node:child_process';
import { createDecipheriv, createECDH, createPublicKey, type ECDH, hkdfSync, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVerifier } from 'fast-jwt';
import { PushSenderService } from '../../src/notifications/push/push-sender.service.js';
import { SafeHttpClient } from '../../src/platform/safe-http/safe-http-client.js';
import { TaskWorker } from '../../src/platform/work-queue/task-worker.js';
import { TEST_PASSWORD } from '../support/accounts.js';
import { useApp } from '../support/app.js';
import { describeWith } from '../support/optional.js';
import { expectProblem } from '../support/problem.js';
import { until } from '../support/until.js';
import type { Person } from '../support/world.js';
import { drainActivity } from '../support/verbs.js';

const PATH = '/v1/notifications/push-subscriptions';
const SUBJECT = 'mailto:ops@example.org';
const env = { WEB_PUSH_PRIVATE_KEY: randomBytes(32).toString('base64url'), WEB_PUSH_SUBJECT: SUBJECT };

/** Browser side of a push subscription. */
class TestBrowser {
  private readonly key: ECDH = createECDH('prime256v1');
  private readonly secret = randomBytes(16);
  readonly keys: { p256dh: string; auth: string };

  constructor(readonly endpoint: string) {
    const p256dh = this.key.generateKeys().toString('base64url');
    this.keys = { p256dh, auth: this.secret.toString('base64url') };
  }

  get subscription() {
    return { endpoint: this.endpoint, keys: this.keys };
  }

  /** RFC 8291 */
  decrypt(body: Buffer): unknown {
    const [salt, sender, record] = [body.subarray(0, 16), body.subarray(21, 86), body.subarray(86)];
    const derive = (secret: Buffer, by: Buffer, info: Buffer | string, bytes: number): Buffer =>
      Buffer.from(hkdfSync('sha256', secret, by, info, bytes));
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.key.getPublicKey(), sender]);
    const secret = derive(this.key.computeSecret(sender), this.secret, info, 32);
    const key = derive(secret, salt, 'Content-Encoding: aes128gcm\0', 16);
    const decipher = createDecipheriv('aes-128-gcm', key, derive(secret, salt, 'Content-Encoding: nonce\0', 12));
    decipher.setAuthTag(record.subarray(-16));
    const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
    return JSON.parse(padded.subarray(0, padded.lastIndexOf(2)).toString());
  }
}

describeWith('openssl', 'Web Push', (openssl) => {
  const app = useApp({ env });
  const { world } = app;
  const directory = mkdtempSync(join(tmpdir(), 'opencanvas-push-'));
  let service: Server;
  let origin: string;
  let received: { path: string; headers: IncomingHttpHeaders; body: Buffer }[] = [];
  let respond: { status: number; headers?: Record<string, string>; body?: Buffer };

  beforeAll(async () => {
    const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
    // prettier-ignore
    execFileSync(openssl, ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1',
      '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', cert], { stdio: 'ignore' });
    const ca = readFileSync(cert, 'utf8');
    service = createServer({ key: readFileSync(key), cert: ca }, (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        received.push({ path: request.url!, headers: request.headers, body: Buffer.concat(chunks) });
        if (request.url!.startsWith('/dead/')) return;
        response.writeHead(respond.status, respond.headers).end(respond.body);
      });
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    const { port } = service.address() as AddressInfo;
    origin = `https://localhost:${port}`;
    // The class comes from the bundle if the run tests the bundle.
    const Client = app.app.get(SafeHttpClient).constructor as typeof SafeHttpClient;
    const outgoing = new Client({ ca, allowedPrivate: [`localhost:${port}`] });
    for (const sender of app.everyOf(PushSenderService)) Object.assign(sender, { outgoing });
  });
  afterAll(() => {
    service.close().closeAllConnections();
    rmSync(directory, { recursive: true, force: true });
  });
  beforeEach(() => {
    received = [];
    respond = { status: 201 };
  });

  const work = () => app.app.get(TaskWorker).work(AbortSignal.timeout(60_000));
  const subscribed = async (by: Person, endpoint = `${origin}/${by.username}`): Promise<TestBrowser> => {
    const browser = new TestBrowser(endpoint);
    const { status } = await app.client.post(PATH, { token: by.token, body: browser.subscription });
    expect(status).toBe(201);
    return browser;
  };
  const choose = async (by: Person, settings: object): Promise<void> => {
    const { status } = await app.client.patch('/v1/notifications/settings', { token: by.token, body: settings });
    expect(status).toBe(200);
  };
  /** Creates a comment, and the push tasks for it. */
  const queueComment = async (author: Person, reader: Person, postId?: string): Promise<string> => {
    const id = postId ?? (await world.post({ by: author })).id;
    await world.comment({ by: reader, on: id });
    await drainActivity(app);
    return id;
  };
  const comment = async (author: Person, reader: Person, postId?: string): Promise<string> => {
    const id = await queueComment(author, reader, postId);
    await work();
    return id;
  };
  const subscriptionsOf = async (by: Person) => (await app.client.get(PATH, { token: by.token })).body.data;
  const tasks = () => app.db.collection('tasks').find({ topic: 'push' }).toArray();

  it('sends kind and id, encrypted for the browser and signed by this server', async () => {
    const [author, reader] = await world.people(2);
    const browser = await subscribed(author);
    await choose(author, { comment: 'push' });

    await comment(author, reader);

    const [{ id, kind }] = (await app.client.get('/v1/notifications', { token: author.token })).body.data;
    const [{ path, headers, body }] = received as [(typeof received)[0]];
    expect([received.length, path, browser.decrypt(body)]).toEqual([1, `/${author.username}`, { kind, id }]);
    expect(headers).toMatchObject({
      'content-encoding': 'aes128gcm',
      ttl: '86400',
      'content-length': String(body.length),
    });
    const { publicKey } = (await app.client.get('/v1/notifications/push-key', { token: author.token })).body;
    const [, token, key] = /^vapid t=(.+), k=(.+)$/.exec(headers.authorization!)!;
    const point = Buffer.from(key!, 'base64url');
    const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
    const pem = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: x!, y: y! }, format: 'jwk' });
    const verify = createVerifier({ key: pem.export({ type: 'spki', format: 'pem' }), algorithms: ['ES256'] });
    expect([key, verify(token!)]).toMatchObject([publicKey, { aud: origin, sub: SUBJECT }]);
  });

  it('is for the kinds that an account chose, and once until the notification is read', async () => {
    const [author, reader] = await world.people(2);
    await subscribed(author);
    await choose(author, { comment: 'push' });

    const post = await comment(author, reader);
    await app.client.put(`/v1/users/${author.username}/follow`, { token: reader.token });
    await comment(author, reader, post);
    expect(received).toHaveLength(1);
    await app.client.put('/v1/notifications/read', { token: author.token, body: {} });
    await comment(author, reader, post);

    expect(received).toHaveLength(2);
  });

  it.each([401, 403, 404, 410])('a subscription ends when the push service responds with %d', async (status) => {
    const [author, reader] = await world.people(2);
    await subscribed(author);
    await choose(author, { comment: 'push' });
    respond = { status };

    await comment(author, reader);

    expect([await subscriptionsOf(author), await tasks()]).toEqual([[], []]);
  });

  it('waits after 429 for as long as the push service asks', async () => {
    const [author, reader] = await world.people(2);
    await subscribed(author);
    await choose(author, { comment: 'push' });
    respond = { status: 429, headers: { 'retry-after': '1800' } };
    const before = Date.now();

    await comment(author, reader);

    const [task] = await tasks();
    expect(task!['runAt'].getTime()).toBeGreaterThanOrEqual(before + 1_800_000);
    respond = { status: 201 };
    await app.db.collection('tasks').updateOne({ _id: task!._id }, { $set: { runAt: new Date(before) } });
    await work();
    expect([received.length, await tasks()]).toEqual([2, []]);
  });

  it('is tried again after a failure of the push service', async () => {
    const [author, reader] = await world.people(2);
    await subscribed(author);
    await choose(author, { comment: 'push' });
    respond = { status: 503 };

    await comment(author, reader);

    expect(await tasks()).toMatchObject([{ attempts: 1, lastError: 'the push service responded: 503' }]);
    await app.db.collection('tasks').deleteMany({ topic: 'push' });
  });

  it('a subscription ends after three messages that the push service refuses, unless it accepts one between them', async () => {
    const [author, reader] = await world.people(2);
    await subscribed(author);
    await choose(author, { comment: 'push' });

    const left: number[] = [];
    for (const status of [400, 400, 201, 400, 413, 400]) {
      respond = { status };
      await comment(author, reader);
      left.push((await subscriptionsOf(author)).length);
    }

    expect([left, await tasks()]).toEqual([[1, 1, 1, 1, 1, 0], []]);
  });

  it('needs only the status of the response', async () => {
    const [author, reader] = await world.people(2);
    await subscribed(author);
    await choose(author, { comment: 'push' });
    respond = { status: 201, body: Buffer.alloc(6 * 1024 * 1024) };

    await comment(author, reader);

    expect([received.length, await tasks()]).toEqual([1, []]);
  });

  it('does not wait for dead subscriptions of other accounts', async () => {
    const [victim, reader, ...others] = await world.people(7);
    for (const other of others) {
      for (let at = 0; at < 10; at++) await subscribed(other, `${origin}/dead/${other.username}/${at}`);
      await choose(other, { comment: 'push' });
      await queueComment(other, reader);
    }
    await subscribed(victim);
    await choose(victim, { comment: 'push' });
    await queueComment(victim, reader);

    const stop = new AbortController();
    const working = app.app
      .get(TaskWorker)
      .work(stop.signal)
      .catch(() => {});
    await until(() => received.some(({ path }) => path === `/${victim.username}`) || null);
    stop.abort(new Error('seen'));
    await working;

    // One request per account, of fifty.
    expect(received.filter(({ path }) => path.startsWith('/dead/'))).toHaveLength(others.length);
    await app.db.collection('tasks').deleteMany({ topic: 'push' });
  });

  it('to a subscription that does not respond waits apart, and ends it after a day', async () => {
    const [author, reader] = await world.people(2);
    await subscribed(author, `${origin}/dead/${author.username}`);
    await choose(author, { comment: 'push' });
    const subscription = () => app.db.collection('push_subscriptions').findOne({ userId: author._id });
    const again = () =>
      app.db.collection('tasks').updateMany({ topic: 'push' }, { $set: { runAt: new Date(Date.now() - 1_000) } });

    await comment(author, reader);
    expect((await subscription())!['slowSince']).toBeInstanceOf(Date);
    expect(await tasks()).toMatchObject([{ lane: 'push', attempts: 1 }]);
    await queueComment(author, reader);
    await again();
    await work();
    expect(await tasks()).toMatchObject([
      { lane: 'pushSlow', attempts: 2 },
      { lane: 'pushSlow', attempts: 1 },
    ]);

    await app.db
      .collection('push_subscriptions')
      .updateOne({ userId: author._id }, { $set: { slowSince: new Date(Date.now() - 86_500_000) } });
    await again();
    await work();

    expect([await subscription(), await tasks()]).toEqual([null, []]);
  });

  it('is fast again after a response in time', async () => {
    const [author, reader] = await world.people(2);
    await subscribed(author);
    await choose(author, { comment: 'push' });
    const subscriptions = app.db.collection('push_subscriptions');
    await subscriptions.updateOne({ userId: author._id }, { $set: { slowSince: new Date() } });

    await comment(author, reader);

    const { slowSince } = (await subscriptions.findOne({ userId: author._id }))!;
    expect([received.length, await tasks(), slowSince]).toEqual([1, [], undefined]);
  });

  it('of an earlier version, without keys, is sent', async () => {
    const [author, reader] = await world.people(2);
    await subscribed(author);
    await choose(author, { comment: 'push' });
    await queueComment(author, reader);
    await app.db.collection('tasks').updateMany({ topic: 'push' }, { $unset: { keys: 1 } });

    await work();

    expect([received.length, await tasks()]).toEqual([1, []]);
  });

  it.each([
    ['https://127.0.0.1/push', 'https://127.1/push', 'https://0x7f000001/push', 'https://[::1]/push'],
    ['https://localhost/push', 'https://push.localhost/push', 'https://LOCALHOST./push', 'https://10.0.0.1/push'],
    ['https://169.254.169.254/push', 'https://push.example.org:25/push', 'http://push.example.org/push'],
  ])('is refused for an address that no push service has: %s, %s, %s', async (...endpoints) => {
    const { token } = await world.person();

    for (const endpoint of endpoints) {
      const body = new TestBrowser(endpoint).subscription;
      expectProblem(await app.client.post(PATH, { token, body }), 400, 'invalid_input');
    }
  });

  it('accepts what JSON.stringify(subscription) gives, and keys in base64', async () => {
    const [author, reader] = await world.people(2);
    const browser = new TestBrowser(`${origin}/${author.username}`);
    const base64 = (key: string): string => Buffer.from(key, 'base64url').toString('base64');
    const keys = { p256dh: base64(browser.keys.p256dh), auth: base64(browser.keys.auth) };
    for (const body of [
      { ...browser.subscription, expirationTime: null },
      { ...browser.subscription, expirationTime: Date.now() + 0.5, keys },
    ])
      expect((await app.client.post(PATH, { token: author.token, body })).status).toBe(201);
    await choose(author, { comment: 'push' });

    await comment(author, reader);

    expect(received.map(({ body }) => browser.decrypt(body))).toMatchObject([{ kind: 'comment' }]);
  });

  it('has ten subscriptions of an account, which only their owner sees and deletes; the oldest makes room', async () => {
    const [author, other] = await world.people(2);
    for (let at = 0; at < 10; at++) await subscribed(author, `${origin}/browser/${at}`);
    const [tenth, ...older] = await subscriptionsOf(author);
    const first = older.at(-1);

    await subscribed(author, `${origin}/browser/10`);
    await subscribed(author, `${origin}/browser/10`);

    const listed = await subscriptionsOf(author);
    expect([listed.length, listed[1], listed[0].host]).toEqual([10, tenth, new URL(origin).host]);
    expect(listed).not.toContainEqual(first);
    for (const token of [other.token, author.token]) await app.client.delete(`${PATH}?id=${tenth.id}`, { token });
    expect(await subscriptionsOf(author)).toHaveLength(9);
  });

  it('has ten subscriptions of an account after concurrent requests', async () => {
    const author = await world.person();

    await Promise.all(Array.from({ length: 40 }, (_, at) => subscribed(author, `${origin}/browser/${at}`)));

    expect(await app.db.collection('push_subscriptions').countDocuments({ userId: author._id })).toBe(10);
  });

  it('refuses keys that are not of the curve, and addresses without TLS', async () => {
    const { token } = await world.person();
    const { endpoint, keys } = new TestBrowser(`${origin}/a`).subscription;
    const p256dh = `${keys.p256dh.slice(0, 40)}AAAAAAAA${keys.p256dh.slice(48)}`;
    const bad = [
      { endpoint, keys: { ...keys, p256dh } },
      { endpoint: endpoint.replace('https', 'http'), keys },
    ];
    for (const body of bad) expectProblem(await app.client.post(PATH, { token, body }), 400, 'invalid_input');
  });

  it('is deleted with its account', async () => {
    const author = await world.person({ overHttp: true });
    await subscribed(author);

    await app.client.delete('/v1/users/me', { token: author.token, body: { password: TEST_PASSWORD } });
    await work();

    expect(await app.db.collection('push_subscriptions').countDocuments({ userId: author._id })).toBe(0);
  });
});

describe('a server without a key for Web Push', () => {
  const app = useApp();

  it('responds with 404', async () => {
    const { token } = await app.world.person();
    const body = new TestBrowser('https://push.example.org/a').subscription;

    expectProblem(await app.client.get('/v1/notifications/push-key', { token }), 404, 'push_not_configured');
    expectProblem(await app.client.post(PATH, { token, body }), 404, 'push_not_configured');
  });
});
