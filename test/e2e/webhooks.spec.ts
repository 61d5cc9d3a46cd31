import { ObjectId } from 'mongodb';
import type { Topic } from '../../src/common/topic.js';
import { AccessTokenService } from '../../src/platform/access/access-token.service.js';
import { TaskWorker } from '../../src/platform/work-queue/task-worker.js';
import { POST_LISTED } from '../../src/posts/posts.events.js';
import type { WebhookEvent } from '../../src/webhooks/webhook-events.js';
import { WEBHOOK_DELIVERY } from '../../src/webhooks/webhooks.events.js';
import { useApp } from '../support/app.js';
import { queuedMails } from '../support/mails.js';
import { formOf } from '../support/pictures.js';
import { expectProblem } from '../support/problem.js';
import { runTasks } from '../support/tasks.js';
import { drainActivity, verbsOf } from '../support/verbs.js';
import { expectedSignature, WebhookReceiver } from '../support/webhook-receiver.js';
import type { Person } from '../support/world.js';
import { hugoPost, zipOf } from '../support/zips.js';

const receiver = await WebhookReceiver.start();
const DAY_MS = 86_400_000;

describe('webhooks', () => {
  const app = useApp({ env: { OUTGOING_ALLOWED_PRIVATE: receiver.host } });
  const { world } = app;
  const { ok, send, act } = verbsOf(app);
  afterAll(() => receiver.stop());

  const work = () => app.app.get(TaskWorker).work(AbortSignal.timeout(120_000));
  const urlOf = (path: string): string => `http://${receiver.host}${path}`;
  /** Creates a webhook with a path of its own. */
  const hook = async (by: Person, events: WebhookEvent[] = ['post.published'], name: string = by.username) => {
    const path = `/${name}`;
    return { path, ...(await world.webhook({ by, url: urlOf(path), events })) };
  };
  const bodies = (path: string) => receiver.at(path).map(({ body }) => JSON.parse(body));
  const deliveriesOf = async (by: Person, id: string, query = '') =>
    (await ok(by, 'GET', `webhooks/${id}/deliveries${query}`)).data;
  /** Runs the next attempts, and waiting ones without their delay. */
  const retry = () => runNow(WEBHOOK_DELIVERY);
  const runNow = async (topic: Topic<unknown>): Promise<void> => {
    const due = { $set: { runAt: new Date(Date.now() - 1_000) } };
    await app.db.collection('tasks').updateMany({ topic: topic.name }, due);
    await runTasks(app, [topic]);
  };

  it('show their secret once, and are found by their owner only', async () => {
    const [owner, other] = await world.people(2);

    const { secret, id, ...created } = await ok(owner, 'POST', 'webhooks', {
      url: urlOf('/once'),
      events: ['post.published', 'follow.created'],
      description: 'my site',
    });

    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(created).toMatchObject({ isEnabled: true, disabledReason: null, failingSince: null });
    expect(await ok(owner, 'GET', `webhooks/${id}`)).toEqual({ id, ...created });
    expect((await ok(owner, 'GET', 'webhooks')).data).toEqual([{ id, ...created }]);
    expect((await ok(other, 'GET', 'webhooks')).data).toEqual([]);
    const stored = await app.db.collection('webhooks').findOne({ _id: new ObjectId(id as string) });
    expect(stored!['sealed'].toString('utf8')).not.toContain(secret);
    for (const [method, path] of [
      ['GET', `webhooks/${id}`],
      ['PATCH', `webhooks/${id}`],
      ['DELETE', `webhooks/${id}`],
      ['POST', `webhooks/${id}/rotate`],
      ['POST', `webhooks/${id}/ping`],
      ['GET', `webhooks/${id}/deliveries`],
      ['POST', `webhooks/${id}/deliveries/${id}/redeliver`],
    ] as const)
      expectProblem(await send(other, method, path, method === 'PATCH' ? {} : undefined), 404, 'webhook_not_found');
  });

  it.each([
    ['a private address', 'https://10.0.0.1/', 'invalid_webhook_url'],
    ['the address of the cloud', 'http://169.254.169.254/', 'invalid_webhook_url'],
    ['this machine', 'https://localhost/', 'invalid_webhook_url'],
    ['http', 'http://hooks.example.org/', 'invalid_webhook_url'],
    ['credentials', 'https://me:secret@hooks.example.org/', 'invalid_input'],
    ['the port of a database', 'https://hooks.example.org:27017/', 'invalid_webhook_url'],
    ['another scheme', 'ftp://hooks.example.org/', 'invalid_input'],
    ['more than 2,048 characters', `https://hooks.example.org/${'x'.repeat(2_048)}`, 'invalid_input'],
  ])('reject %s as a URL', async (_, url, code) => {
    const owner = await world.person();

    const response = await send(owner, 'POST', 'webhooks', { url, events: ['post.published'] });

    expectProblem(response, 400, code);
    expect(response.body.errors.map(({ field }: { field: string }) => field)).toEqual(['url']);
  });

  it('reject unknown events, and an eleventh webhook', async () => {
    const owner = await world.person();
    const unknown = await send(owner, 'POST', 'webhooks', { url: urlOf('/'), events: ['post.read'] });
    expectProblem(unknown, 400, 'invalid_input');
    expect(unknown.body.errors[0].field).toBe('events');
    for (let at = 0; at < 10; at++) await hook(owner, ['post.published'], `many-${at}`);

    expectProblem(
      await send(owner, 'POST', 'webhooks', { url: urlOf('/'), events: ['post.hidden'] }),
      409,
      'too_many_webhooks',
    );
  });

  it('change only at the version that was read', async () => {
    const owner = await world.person();
    const { id } = await hook(owner);
    const path = `/v1/webhooks/${id}`;
    const etag = (await app.client.get(path, { token: owner.token })).headers.get('etag')!;
    const patch = (description: string) =>
      app.client.patch(path, { token: owner.token, body: { description }, headers: { 'if-match': etag } });

    const changed = await patch('first');

    expect([changed.status, changed.body.description, changed.headers.get('etag') === etag]).toEqual([
      200,
      'first',
      false,
    ]);
    expectProblem(await patch('second'), 412, 'precondition_failed');
  });

  it('receive the events of posts with ids, path and version, signed, and no text', async () => {
    const [author, other] = await world.people(2);
    const {
      id: hookId,
      path,
      secret,
    } = await hook(author, ['post.published', 'post.updated', 'post.hidden', 'post.deleted']);
    const { path: otherPath } = await hook(other, ['post.published']);

    const post = await world.post({ by: author, title: 'A secret title' });
    await work();
    await world.editPost(post.id, { by: author, content: 'Another text.' });
    await work();
    await ok(author, 'PATCH', `posts/${post.id}`, { isPublic: false });
    await work();
    await world.deletePost(post.id, { by: author });
    await work();

    const sent = bodies(path);
    const types = ['post.published', 'post.updated', 'post.updated', 'post.hidden', 'post.deleted'];
    expect(sent.map(({ type }) => type).sort()).toEqual([...types].sort());
    expect(sent.map(({ data }) => data.id)).toEqual(types.map(() => post.id));
    expect(sent[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      type: 'post.published',
      createdAt: expect.any(String),
      data: { id: post.id, slug: post.slug, version: 1 },
    });
    expect(sent.map(({ data }) => data.version).sort()).toEqual([1, 2, 3, 3, 3]);
    for (const each of receiver.at(path)) {
      expect(each.headers['webhook-id']).toBe(JSON.parse(each.body).id);
      expect(each.headers['webhook-signature']).toBe(expectedSignature(each, secret));
      expect(each.body).not.toContain('text');
    }
    expect(receiver.at(otherPath)).toEqual([]);
    const deliveries = await deliveriesOf(author, hookId);
    expect(deliveries.map(({ state }: { state: string }) => state)).toEqual(types.map(() => 'delivered'));
  });

  it('receive comments on own posts, own comments, and followers', async () => {
    const [author, reader] = await world.people(2);
    const events: WebhookEvent[] = ['comment.created', 'comment.edited', 'comment.deleted', 'follow.created'];
    const [ofAuthor, ofReader] = [await hook(author, events), await hook(reader, events)];
    const { id: postId } = await world.post({ by: author });

    const { id } = await world.comment({ by: reader, on: postId });
    await ok(reader, 'PUT', `users/${author.username}/follow`);
    await drainActivity(app);
    await ok(reader, 'PATCH', `comments/${id}`, { content: 'Another one.' });
    await ok(reader, 'DELETE', `comments/${id}`);
    await work();

    const about = (path: string) => bodies(path).map(({ type, data }) => [type, data.id, data.postId ?? data.username]);
    const ofComment = events.slice(0, 3).map((type) => [type, id, postId]);
    expect(about(ofReader.path).sort()).toEqual([...ofComment].sort());
    const ofFollow = ['follow.created', reader.id, reader.username];
    expect(about(ofAuthor.path).sort()).toEqual([...ofComment, ofFollow].sort());
  });

  it('receive changes of the own profile and collections, and ready exports', async () => {
    const [author, other] = [await world.person({ overHttp: true }), await world.person()];
    const events: WebhookEvent[] = ['user.updated', 'collection.updated', 'export.ready'];
    const [{ path }, { path: otherPath }] = [await hook(author, events), await hook(other, events)];
    const post = await world.post({ by: other });

    await ok(author, 'PATCH', 'users/me', { headline: 'Countess' });
    const { id: listId } = await ok(author, 'POST', 'collections', { title: 'Looms', kind: 'list' });
    await ok(author, 'PUT', `collections/${listId}/posts/${post.id}`, {});
    await ok(author, 'PATCH', `collections/${listId}`, { title: 'Engines' });
    const { id: exportId } = await ok(author, 'POST', 'users/me/exports');
    await work();

    const { id, username, updatedAt } = await ok(author, 'GET', 'auth/me');
    const sent = bodies(path).map(({ type, data }) => ({ type, ...data }));
    expect(sent.sort((a, b) => (a.type < b.type ? -1 : 1))).toEqual([
      ...[1, 2, 3].map(() => ({ type: 'collection.updated', id: listId })),
      { type: 'export.ready', id: exportId },
      { type: 'user.updated', id, username, version: Date.parse(updatedAt) },
    ]);
    expect(receiver.at(otherPath)).toEqual([]);
  });

  it('receive the end of an import, with its state and counts', async () => {
    const [author, other] = await world.people(2);
    const [{ path }, { path: otherPath }] = [await hook(author, ['import.done']), await hook(other, ['import.done'])];
    const post = hugoPost({ title: 'Looms', date: '2019-05-01T09:30:00Z' }, 'An engine weaves.');
    const imported = async (bytes: Buffer): Promise<string> => {
      const { body } = await app.client.post('/v1/users/me/imports', { token: author.token, ...formOf({ bytes }) });
      await work();
      return body.id;
    };

    const ready = await imported(await zipOf({ 'content/posts/looms.md': post }));
    const failed = await imported(Buffer.from('just a note'));

    const counts = { read: 1, drafts: 1, repeated: 0, images: 0, fetched: 0, published: 0, problems: 0 };
    expect(bodies(path).map(({ type, data }) => [type, data])).toEqual([
      ['import.done', { id: ready, state: 'ready', counts }],
      ['import.done', { id: failed, state: 'failed', counts: { ...counts, read: 0, drafts: 0 } }],
    ]);
    expect(receiver.at(otherPath)).toEqual([]);
    const [latest] = await deliveriesOf(author, (await ok(author, 'GET', 'webhooks')).data[0].id);
    expect(latest.data).toEqual({ id: failed, state: 'failed', counts: { ...counts, read: 0, drafts: 0 } });
  });

  it('receive no comment on a post that the account can no longer read', async () => {
    const [author, reader] = await world.people(2);
    const [ofAuthor, ofReader] = [await hook(author, ['comment.deleted']), await hook(reader, ['comment.deleted'])];
    const { id: postId } = await world.post({ by: author });
    const { id } = await world.comment({ by: reader, on: postId });
    await ok(author, 'PATCH', `posts/${postId}`, { isPublic: false });

    await ok(reader, 'DELETE', `comments/${id}`);
    await work();

    expect([receiver.at(ofAuthor.path).length, receiver.at(ofReader.path).length]).toEqual([1, 0]);
  });

  it('are called again after a failure, under the same id with a new signature', async () => {
    const author = await world.person();
    const { id, path, secret } = await hook(author);
    const answers = [500, 429, 302, 200];
    receiver.on(path, (response) => {
      const status = answers.shift()!;
      const headers = status === 429 ? { 'retry-after': '7200' } : { location: urlOf('/elsewhere') };
      response.writeHead(status, headers).end(`answer ${status}`);
    });
    await world.post({ by: author });

    await work();
    await retry();
    const [waiting] = await deliveriesOf(author, id, '?state=waiting');
    expect(Date.parse(waiting.nextAt) - Date.parse(waiting.attempts[1].at)).toBeGreaterThanOrEqual(7_200_000);
    expect((await ok(author, 'GET', `webhooks/${id}`)).failingSince).toBe(waiting.attempts[0].at);
    await retry();
    await retry();

    const requests = receiver.at(path);
    expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    for (const each of requests) expect(each.headers['webhook-signature']).toBe(expectedSignature(each, secret));
    const [delivered] = await deliveriesOf(author, id, '?state=delivered');
    expect(delivered.attempts.map(({ status, response }: any) => [status, response])).toEqual(
      [500, 429, 302, 200].map((status) => [status, `answer ${status}`]),
    );
    expect([receiver.at('/elsewhere').length, (await ok(author, 'GET', `webhooks/${id}`)).failingSince]).toEqual([
      0,
      null,
    ]);
  });

  it('are no longer called after six repetitions, and again on request', async () => {
    const author = await world.person();
    const { id, path } = await hook(author);
    receiver.on(path, (response) => response.writeHead(503).end());
    await world.post({ by: author });
    await work();
    for (let repetition = 0; repetition < 7; repetition++) await retry();

    const [failed] = await deliveriesOf(author, id, '?state=failed');
    expect([receiver.at(path).length, failed.attempts.length, failed.nextAt]).toEqual([7, 7, null]);

    receiver.on(path, (response) => response.writeHead(200).end());
    const again = await send(author, 'POST', `webhooks/${id}/deliveries/${failed.id}/redeliver`);
    await work();

    const last = receiver.at(path).at(-1)!;
    expect([again.status, again.body.state, last.headers['webhook-id']]).toEqual([202, 'waiting', failed.id]);
    expect((await deliveriesOf(author, id, '?state=delivered')).length).toBe(1);
    expect(receiver.at(path).length).toBe(8);
  });

  it('survive receivers that hang, drip, send without end or redirect inward', async () => {
    const author = await world.person();
    const names = ['hangs', 'drips', 'floods', 'redirects'] as const;
    const hooks = await Promise.all(
      names.map((name) => hook(author, ['post.published'], `${name}-${author.username}`)),
    );
    const [hangs, drips, floods, redirects] = hooks as [(typeof hooks)[0], ...typeof hooks];
    const other = await world.person();
    const { path: fast } = await hook(other);
    receiver.on(hangs.path, () => {});
    receiver.on(drips!.path, (response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'), 50);
      response.on('close', () => clearInterval(timer));
    });
    receiver.on(floods!.path, (response) => {
      response.writeHead(200, { 'content-length': String(10_000_000_000) });
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, 'x')));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    receiver.on(redirects!.path, (response) => response.writeHead(307, { location: urlOf('/inward') }).end());
    await world.post({ by: author });
    await world.post({ by: other });

    await work();

    const attemptOf = async ({ id }: { id: string }) => (await deliveriesOf(author, id))[0].attempts[0];
    expect(await attemptOf(hangs)).toMatchObject({ status: null, error: 'timeout' });
    expect(await attemptOf(drips!)).toMatchObject({
      status: 200,
      error: null,
      response: expect.stringMatching(/^x+$/),
    });
    expect(await attemptOf(floods!)).toMatchObject({ status: 200, response: 'x'.repeat(1_024) });
    expect(await attemptOf(redirects!)).toMatchObject({ status: 307 });
    expect([receiver.at(fast).length, receiver.at('/inward').length]).toEqual([1, 0]);
    const slow = await app.db.collection('webhooks').distinct('url', { isSlow: true });
    expect(slow).toEqual(expect.arrayContaining([urlOf(hangs.path), urlOf(drips!.path)]));
    expect(slow).not.toContain(urlOf(fast));
    // Their repetitions would delay the next tests.
    await app.db.collection('webhooks').deleteMany({ userId: author._id });
  });

  it('do not call an address that became private', async () => {
    const author = await world.person();
    const { id } = await hook(author);
    const rebound = { $set: { url: 'https://192.168.0.1/' } };
    await app.db.collection('webhooks').updateOne({ _id: new ObjectId(id) }, rebound);
    await world.post({ by: author });

    await work();

    const [{ attempts }] = await deliveriesOf(author, id);
    expect(attempts[0]).toMatchObject({ status: null, error: 'refused', response: '' });
  });

  it('sign with the previous secret, too, for 24 hours after its replacement', async () => {
    const author = await world.person();
    const { id, path, secret: before } = await hook(author);

    const { secret: after } = await ok(author, 'POST', `webhooks/${id}/rotate`);
    const ping = await send(author, 'POST', `webhooks/${id}/ping`);
    await work();

    const [request] = receiver.at(path);
    const both = [after, before].map((secret) => expectedSignature(request!, secret));
    expect(request!.headers['webhook-signature']).toBe(both.join(' '));
    expect([ping.status, JSON.parse(request!.body)]).toMatchObject([
      202,
      { id: ping.body.id, type: 'ping', data: { id } },
    ]);
  });

  it('are disabled by 410, and enabled by their owner', async () => {
    const author = await world.person();
    const { id, path } = await hook(author);
    receiver.on(path, (response) => response.writeHead(410).end());
    await world.post({ by: author });
    await work();

    expect(await ok(author, 'GET', `webhooks/${id}`)).toMatchObject({ isEnabled: false, disabledReason: 'gone' });
    await world.post({ by: author });
    await work();
    expect([receiver.at(path).length, (await deliveriesOf(author, id)).length]).toEqual([1, 1]);
    expectProblem(await send(author, 'POST', `webhooks/${id}/ping`), 409, 'webhook_disabled');

    const enabled = await ok(author, 'PATCH', `webhooks/${id}`, { isEnabled: true });
    await world.post({ by: author });
    await work();
    expect([enabled.disabledReason, receiver.at(path).length]).toEqual([null, 2]);
  });

  it('are disabled after three days of failures, of which their owner gets a mail', async () => {
    const author = await world.person({ overHttp: true });
    const { id, path } = await hook(author);
    receiver.on(path, (response) => response.writeHead(500).end());
    await world.post({ by: author });
    await work();
    const since = { $set: { failingSince: new Date(Date.now() - 3 * DAY_MS - 1_000) } };
    await app.db.collection('webhooks').updateOne({ _id: new ObjectId(id) }, since);

    await retry();
    await retry();

    expect(await ok(author, 'GET', `webhooks/${id}`)).toMatchObject({ isEnabled: false, disabledReason: 'failures' });
    expect((await deliveriesOf(author, id)).map(({ state }: { state: string }) => state)).toEqual(['failed']);
    expect(receiver.at(path).length).toBe(2);
    const mails = (await queuedMails(app)).filter(({ to, subject }) => to === author.email && /webhook/.test(subject));
    expect(mails.length).toBe(1);
  });

  describe('site-wide', () => {
    const SITE_EVENTS: WebhookEvent[] = [
      ...(['post.published', 'post.updated', 'post.hidden', 'post.deleted'] as const),
      ...(['comment.created', 'comment.edited', 'comment.deleted', 'user.created', 'user.ended'] as const),
      ...(['report.opened', 'action.taken', 'registration.pending', 'rule.hit'] as const),
    ];
    afterEach(() => app.db.collection('webhooks').deleteMany({ isSiteWide: true }));
    const siteHook = async (by: Person, events = SITE_EVENTS) => {
      const path = `/site-${by.username}`;
      return { path, ...(await world.webhook({ by, url: urlOf(path), events, isSiteWide: true })) };
    };
    const typesOf = (path: string): string[] => bodies(path).map(({ type }) => type);

    it('are only for admins, with events of the site, and at most 20', async () => {
      const [person, moderator] = [await world.person(), await world.person({ role: 'moderator' })];
      const admin = await world.person({ role: 'admin' });
      const create = (by: Person, events: string[], isSiteWide: boolean) =>
        send(by, 'POST', 'webhooks', { url: urlOf('/site'), events, isSiteWide });

      for (const by of [person, moderator]) expectProblem(await create(by, ['user.created'], true), 403, 'forbidden');
      expectProblem(await create(admin, ['follow.created'], true), 400, 'invalid_webhook_events');
      expectProblem(await create(admin, ['post.published', 'rule.hit'], false), 400, 'invalid_webhook_events');
      const { id } = (await create(admin, ['rule.hit'], true)).body;
      const wrong = await send(admin, 'PATCH', `webhooks/${id}`, { events: ['follow.created'] });
      expect(wrong.body.errors).toEqual([
        { field: 'events', message: 'follow.created is only for webhooks of an account' },
      ]);
      for (let at = 1; at < 20; at++) await create(admin, ['rule.hit'], true);
      expectProblem(await create(admin, ['rule.hit'], true), 409, 'too_many_webhooks');
      expect((await create(admin, ['post.published'], false)).status).toBe(201);
      expect((await ok(admin, 'GET', 'webhooks')).data).toHaveLength(21);
    });

    it('receive the public posts and comments of all accounts, and no hidden ones', async () => {
      const [admin, author, reader] = [await world.person({ role: 'admin' }), ...(await world.people(2))];
      const { path } = await siteHook(admin, SITE_EVENTS.slice(0, 7));

      const hidden = await world.post({ by: author, isPublic: false });
      await world.editPost(hidden.id, { by: author, content: 'Another text.' });
      const post = await world.post({ by: author });
      await work();
      const { id } = await world.comment({ by: reader, on: post.id });
      await drainActivity(app);
      await ok(reader, 'PATCH', `comments/${id}`, { content: 'Another one.' });
      await ok(reader, 'DELETE', `comments/${id}`);
      await world.editPost(post.id, { by: author, content: 'Another text.' });
      await work();
      await ok(author, 'PATCH', `posts/${post.id}`, { isPublic: false });
      await work();
      await ok(author, 'PATCH', `posts/${post.id}`, { isPublic: true });
      await work();
      await world.deletePost(post.id, { by: author });
      await world.deletePost(hidden.id, { by: author });
      await work();

      const [ofPost, ofComment] = [SITE_EVENTS.slice(0, 4), SITE_EVENTS.slice(4, 7)];
      const expected = [...ofPost, ...ofComment, 'post.published', 'post.updated'];
      expect(typesOf(path).sort()).toEqual(expected.sort());
      const ids = bodies(path).map(({ data }) => data.postId ?? data.id);
      expect(new Set(ids)).toEqual(new Set([post.id]));
    });

    it('receive the deletion of an account with that of its posts', async () => {
      const [admin, author] = [await world.person({ role: 'admin' }), await world.person({ overHttp: true })];
      const { id } = await world.post({ by: author });
      await work();
      const { path } = await siteHook(admin);

      await ok(author, 'DELETE', 'users/me', { password: author.password });
      await work();

      expect(bodies(path).map(({ type, data }) => [type, data.id])).toEqual(
        expect.arrayContaining([
          ['user.ended', author.id],
          ['post.deleted', id],
        ]),
      );
      expect(typesOf(path)).toHaveLength(2);
    });

    it('receive accounts, reports, actions and hits of rules, as ids', async () => {
      const [admin, moderator] = [await world.person({ role: 'admin' }), await world.person({ role: 'moderator' })];
      const ruleId = await world.rule({ value: 'zeppelin' });
      const rejectingId = await world.rule({ value: 'airship', action: 'reject' });
      const { path, secret } = await siteHook(admin, SITE_EVENTS.slice(7));

      const author = await world.person({ overHttp: true });
      const post = await world.post({ by: author, content: 'A zeppelin.' });
      const rejected = { title: 'One', content: 'An airship.', type: 'article' };
      expectProblem(await send(author, 'POST', 'posts', rejected), 422, 'content_rejected');
      await work();
      const comment = await world.comment({ by: author, on: post.id });
      const report = { targetKind: 'comment', targetId: comment.id, reason: 'spam' };
      await ok(moderator, 'POST', 'reports', report);
      await ok(await world.person(), 'POST', 'reports', report);
      await act(moderator, 'remove', 'comment', comment.id);
      await work();

      const { _id: actionId } = (await app.db.collection('moderation_actions').findOne({ kind: 'remove' }))!;
      const dataOf = (type: string) => bodies(path).flatMap((body) => (body.type === type ? [body.data] : []));
      expect(dataOf('user.created')).toEqual([{ id: author.id, username: author.username }]);
      expect(dataOf('rule.hit').sort((a, b) => (a.id < b.id ? -1 : 1))).toEqual([
        { id: ruleId, targetKind: 'post', targetId: post.id },
        { id: rejectingId, targetKind: 'post', targetId: expect.any(String) },
      ]);
      expect(dataOf('report.opened')).toEqual([
        { id: post.id, targetKind: 'post' },
        { id: comment.id, targetKind: 'comment' },
      ]);
      const taken = { id: actionId.toHexString(), targetKind: 'comment', targetId: comment.id };
      expect(dataOf('action.taken')).toEqual([taken]);
      for (const each of receiver.at(path)) {
        expect(each.headers['webhook-signature']).toBe(expectedSignature(each, secret));
        expect(each.body).not.toMatch(/zeppelin|airship|advertisement/i);
      }
    });

    it('are not called for an account that is no longer an admin, and may only delete them', async () => {
      const [admin, author] = [await world.person({ role: 'admin' }), await world.person()];
      const { id, path } = await siteHook(admin, ['post.published']);
      const queued = await world.post({ by: author });
      // In the foreground, then for webhooks.
      for (const _ of ['foreground', 'fanout']) await runNow(POST_LISTED);
      await app.db.collection('users').updateOne({ _id: admin._id }, { $set: { role: 'user' } });

      await work();
      await world.post({ by: author });
      await work();

      expect(receiver.at(path)).toEqual([]);
      const deliveries = await app.db
        .collection('webhook_deliveries')
        .find({ webhookId: new ObjectId(id) })
        .toArray();
      expect(deliveries.map(({ data, state }) => [data.id, state])).toEqual([[queued.id, 'failed']]);
      const { accessToken: token } = app.app.get(AccessTokenService).issue({ ...admin.viewer, role: 'user' });
      const demoted = { token };
      expectProblem(await send(demoted, 'GET', `webhooks/${id}/deliveries`), 403, 'forbidden');
      expectProblem(await send(demoted, 'PATCH', `webhooks/${id}`, {}), 403, 'forbidden');
      expect((await send(demoted, 'DELETE', `webhooks/${id}`)).status).toBe(204);
    });
  });

  it('are managed by API tokens with their scope', async () => {
    const author = await world.person({ overHttp: true });
    const { id } = await hook(author);
    const [scoped, other] = [
      await world.apiToken({ by: author, scopes: ['webhooks'] }),
      await world.apiToken({ by: author, scopes: ['read', 'posts'] }),
    ];

    const statuses = await Promise.all(
      [scoped, other].map(async ({ token }) => (await app.client.get(`/v1/webhooks/${id}`, { token })).status),
    );

    expect(statuses).toEqual([200, 403]);
  });

  it('are deleted with their deliveries, as their account is', async () => {
    const [author, leaver] = [await world.person(), await world.person({ overHttp: true })];
    const [first, second] = [await hook(author), await hook(leaver)];
    for (const [by, { id }] of [
      [author, first],
      [leaver, second],
    ] as const)
      await ok(by, 'POST', `webhooks/${id}/ping`);

    await ok(author, 'DELETE', `webhooks/${first.id}`);
    await ok(leaver, 'DELETE', 'users/me', { password: leaver.password });
    await app.db.collection('tasks').updateMany({}, { $set: { runAt: new Date(Date.now() - 1_000) } });
    await work();

    const ids = [first, second].map(({ id }) => new ObjectId(id));
    expect(await app.db.collection('webhooks').countDocuments({ _id: { $in: ids } })).toBe(0);
    expect(await app.db.collection('webhook_deliveries').countDocuments({ webhookId: { $in: ids } })).toBe(0);
    expect([receiver.at(first.path).length, receiver.at(second.path).length]).toEqual([0, 0]);
  });
});

describe('pings', () => {
  const app = useApp({ env: { RATE_LIMIT_ENABLED: 'true' }, oneHost: 'the limits of one server' });

  it('are limited to ten a minute of an account', async () => {
    const [owner, other] = await app.world.people(2);
    const [{ id }, { id: otherId }] = [await app.world.webhook({ by: owner }), await app.world.webhook({ by: other })];
    const ping = (webhook: string, { token }: Person) => app.client.post(`/v1/webhooks/${webhook}/ping`, { token });

    for (let at = 0; at < 10; at++) expect((await ping(id, owner)).status).toBe(202);
    expectProblem(await ping(id, owner), 429, 'rate_limited');
    expect((await ping(otherId, other)).status).toBe(202);
  });
});
