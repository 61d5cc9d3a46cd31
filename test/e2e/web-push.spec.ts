import { execFileSync } from 'node:child_process';
import { createDecipheriv, createECDH, createPublicKey, type ECDH, hkdfSync, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVerifier } from 'fast-jwt';
import { ActivityProcessor } from '../../src/activity/activity-processor.service.js';
import { PushSender } from '../../src/notifications/push/push-sender.service.js';
import { SafeHttpClient } from '../../src/platform/safe-http/safe-http-client.js';
import { TaskWorker } from '../../src/platform/work-queue/task-worker.js';
import { TEST_PASSWORD } from '../support/accounts.js';
import { useApp } from '../support/app.js';
import { describeWith } from '../support/optional.js';
import { expectProblem } from '../support/problem.js';
import type { Person } from '../support/world.js';

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
  let respond: { status: number; headers?: Record<string, string> };

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
        response.writeHead(respond.status, respond.headers).end();
      });
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    const { port } = service.address() as AddressInfo;
    origin = `https://localhost:${port}`;
    // The class comes from the bundle if the run tests the bundle.
    const Client = app.app.get(SafeHttpClient).constructor as typeof SafeHttpClient;
    const outgoing = new Client({ ca, allowedPrivate: [`localhost:${port}`] });
    for (const sender of app.everyOf(PushSender)) Object.assign(sender, { outgoing });
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
  const comment = async (author: Person, reader: Person, postId?: string): Promise<string> => {
    const id = postId ?? (await world.post({ by: author })).id;
    await world.comment({ by: reader, on: id });
    await app.app.get(ActivityProcessor).drain(AbortSignal.timeout(60_000));
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

  it.each([404, 410])('a subscription ends when the push service responds with %d', async (status) => {
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

  it.each(['https://127.0.0.1/push', 'https://localhost:9/push', 'https://[::1]/push'])(
    'is not sent to a private address: %s',
    async (endpoint) => {
      const [author, reader] = await world.people(2);
      const body = new TestBrowser(endpoint).subscription;
      const { status } = await app.client.post(PATH, { token: author.token, body });
      if (status === 400) return;
      await choose(author, { comment: 'push' });

      await comment(author, reader);

      expect(await subscriptionsOf(author)).toEqual([]);
    },
  );

  it('has at most ten subscriptions of an account, which only their owner sees and deletes', async () => {
    const [author, other] = await world.people(2);
    for (let at = 0; at < 10; at++) await subscribed(author, `${origin}/browser/${at}`);
    await subscribed(author, `${origin}/browser/9`);
    const body = new TestBrowser(`${origin}/browser/10`).subscription;

    expectProblem(await app.client.post(PATH, { token: author.token, body }), 409, 'too_many_push_subscriptions');

    const [first, ...others] = await subscriptionsOf(author);
    expect([first.host, others.length]).toEqual([new URL(origin).host, 9]);
    for (const token of [other.token, author.token]) await app.client.delete(`${PATH}?id=${first.id}`, { token });
    expect(await subscriptionsOf(author)).toHaveLength(9);
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
