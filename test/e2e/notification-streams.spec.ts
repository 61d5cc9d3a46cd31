import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, chromium } from 'playwright-core';
import { OpenCanvas } from '../../sdk/src/index.js';
import { describeApi } from '../../src/api-document.js';
import { idAt } from '../../src/activity/actor-range.js';
import { AccessTokenService } from '../../src/platform/access/access-token.service.js';
import { ConcurrencyLimiter } from '../../src/platform/http/load-shedding/concurrency-limiter.js';
import { SseStreams } from '../../src/platform/http/sse/sse-streams.js';
import { EventStream } from '../../src/platform/events/event-stream.js';
import { startApp, type TestApp, useApp } from '../support/app.js';
import { createClient } from '../support/client.js';
import { TestEventSource } from '../support/event-source.js';
import { Nginx } from '../support/nginx.js';
import { describeWith } from '../support/optional.js';
import { plansOf } from '../support/plans.js';
import { expectProblem } from '../support/problem.js';
import { RawClient } from '../support/raw-client.js';
import { operationsOf } from '../support/openapi.js';
import { AnswerCheck } from '../support/response-check.js';
import { until } from '../support/until.js';
import type { Person } from '../support/world.js';
import { drainActivity } from '../support/verbs.js';

const PATH = '/v1/notifications/stream';
/** Makes this process follow the change stream. */
const ENV = { JOBS_ENABLED: 'false' };
const OLD_MS = 16 * 60_000;

describe('a stream of notifications', () => {
  const app = useApp({ env: ENV });
  const { world } = app;
  let other: TestApp;
  let sources: TestEventSource[] = [];

  beforeAll(async () => {
    other = await startApp({ beside: app, env: ENV });
    const all = [...app.everyOf(EventStream), other.app.get(EventStream)];
    await until(() => all.every(({ isOpen }) => isOpen) || null);
  });
  afterAll(() => other.close());
  afterEach(() => {
    for (const source of sources) source.close();
    sources = [];
  });

  const open = async (by: Person, { at = app.url, lastEventId = '' } = {}): Promise<TestEventSource> => {
    const resume: Record<string, string> = lastEventId === '' ? {} : { 'last-event-id': lastEventId };
    const source = await TestEventSource.open(at + PATH, { authorization: `Bearer ${by.token}`, ...resume });
    sources.push(source);
    if (source.response.status === 200) await until(() => source.text || null);
    return source;
  };
  const opened = async (...given: Parameters<typeof open>): Promise<TestEventSource> => {
    const source = await open(...given);
    await source.latest('unread');
    return source;
  };
  /** Creates a comment on a new post of the author, with its notification. */
  const comment = async (author: Person, reader: Person, content = 'Live.'): Promise<void> => {
    const post = await world.post({ by: author });
    await world.comment({ by: reader, on: post.id, content });
    await drainActivity(app);
  };
  const commentsOf = ({ events }: TestEventSource): string[] =>
    events.flatMap(({ event, data }) => (event === 'notification' ? [data.comment.content] : []));
  const streams = () => [...app.everyOf(SseStreams), other.app.get(SseStreams)];
  const sweep = (ms = 0) => streams().forEach((each) => each.sweep(performance.now() + ms));

  it('has the unread count, then each notification as the list has it, on every host', async () => {
    const [author, reader] = await world.people(2);
    const both = [await opened(author), await opened(author, { at: other.url })];

    await comment(author, reader);

    const listed = (await app.client.get('/v1/notifications', { token: author.token })).body.data;
    for (const source of both) {
      expect((await source.latest('unread', 2)).data).toEqual({ count: 1, isCapped: false });
      expect(source.events.map(({ event }) => event)).toEqual(['unread', 'notification', 'unread']);
      expect([source.events[0]!.data.count, source.events[1]!.data]).toEqual([0, listed[0]]);
    }
  });

  it('sends events as the document describes them, with their data', async () => {
    const [author, reader] = await world.people(2);
    const source = await opened(author);
    const resumed = await opened(author, { lastEventId: idAt(new Date(Date.now() - 2 * 86_400_000)).toHexString() });
    await comment(author, reader);
    await source.latest('notification');

    const events = [...source.events, ...resumed.events];

    expect(new Set(events.map(({ event }) => event))).toEqual(new Set(['unread', 'notification', 'reset']));
    const check = new AnswerCheck(await describeApi());
    const stream = operationsOf(await describeApi()).find(({ id }) => id === 'streamNotifications')!;
    for (const { event, id, data } of events) {
      expect(check.eventFaults(stream, { event, id, data: JSON.stringify(data) })).toEqual([]);
    }
    expect(check.eventFaults(stream, { event: 'unread', id: events[0]!.id, data: '{"count":"1"}' })).not.toEqual([]);
  });

  it('is text/event-stream that no proxy buffers, on a connection that ends with it', async () => {
    // From the host itself, because nginx removes X-Accel-Buffering.
    const { response } = await opened(await world.person(), { at: app.ownUrl });

    const names = ['content-type', 'cache-control', 'x-accel-buffering', 'access-control-allow-origin'];
    expect(names.map((name) => response.headers.get(name))).toEqual([
      ...['text/event-stream; charset=utf-8', 'no-store', 'no', '*'],
    ]);
  });

  it('has the count after a read mark that was set on another host', async () => {
    const [author, reader] = await world.people(2);
    await comment(author, reader);
    const source = await opened(author, { at: other.url });

    const { body } = await app.client.put('/v1/notifications/read', { token: author.token, body: {} });

    expect([body.count, (await source.latest('unread', 2)).data.count]).toEqual([0, 0]);
  });

  it('has the count after a mute of the account, on every host', async () => {
    const [author, reader] = await world.people(2);
    await comment(author, reader);
    const both = [await opened(author), await opened(author, { at: other.url })];

    await app.client.put(`/v1/users/${reader.username}/mute`, { token: author.token, body: {} });

    for (const source of both) expect((await source.latest('unread', 2)).data).toEqual({ count: 0, isCapped: false });
  });

  it('counts again in a minute without an event, because others delete what they wrote', async () => {
    const [author, reader] = await world.people(2);
    const post = await world.post({ by: author });
    const { id } = await world.comment({ by: reader, on: post.id });
    await drainActivity(app);
    const both = [await opened(author), await opened(author, { at: other.url })];
    expect(both.map(({ events }) => events.at(-1)!.data)).toEqual(both.map(() => ({ count: 1, isCapped: false })));

    await app.client.delete(`/v1/comments/${id}`, { token: reader.token });
    sweep(61_000);

    for (const source of both) expect((await source.latest('unread', 2)).data).toEqual({ count: 0, isCapped: false });
  });

  it('has nothing of other accounts', async () => {
    const [author, reader] = await world.people(2);
    const source = await opened(reader);

    await comment(author, reader);
    await comment(reader, author, 'Yours.');

    await source.latest('notification');
    expect(commentsOf(source)).toEqual(['Yours.']);
  });

  it('continues after Last-Event-ID on any host, without a gap', async () => {
    const [author, reader] = await world.people(2);
    const first = await opened(author);
    await comment(author, reader, 'First.');
    const { id } = await first.latest('notification');
    first.close();

    await comment(author, reader, 'Second.');
    const second = await opened(author, { at: other.url, lastEventId: id });

    expect(commentsOf(second).at(-1)).toBe('Second.');
    expect(second.events.some(({ event }) => event === 'reset')).toBe(false);
  });

  it.each([
    ['two days old', () => idAt(new Date(Date.now() - 2 * 86_400_000)).toHexString()],
    ['of the future', () => 'f'.repeat(24)],
  ])('is reset after a position that is %s', async (_, lastEventId) => {
    const [author, reader] = await world.people(2);
    await comment(author, reader);

    const source = await opened(author, { lastEventId: lastEventId() });

    expect(source.events.map(({ event }) => event)).toEqual(['reset', 'unread']);
    await comment(author, reader, 'Later.');
    await source.latest('notification');
    expect(commentsOf(source)).toEqual(['Later.']);
  });

  it('is reset after more notifications than it sends at once', async () => {
    const [author, ...readers] = await world.people(3);
    const source = await opened(author);
    const { id } = source.events[0]!;
    for (let at = 0; at < 26; at++) {
      const post = await world.post({ by: author });
      await world.comment({ by: readers[0], on: post.id });
      const vote = { token: readers[1].token, body: { value: 'like' } };
      await app.patient.put(`/v1/posts/${post.id}/vote`, vote);
    }
    await drainActivity(app);

    const resumed = await opened(author, { lastEventId: id });

    expect(resumed.events.map(({ event }) => event)).toEqual(['reset', 'unread']);
    expect(resumed.events[1]!.data.count).toBe(52);
  });

  it('ends with its session', async () => {
    const author = await world.person({ overHttp: true });
    const source = await opened(author);

    const { signInId } = app.app.get(AccessTokenService).authenticate(`Bearer ${author.token}`)!;
    await app.client.post('/v1/auth/logout', { body: { refreshToken: author.refreshToken } });
    const tokens = app.everyOf(AccessTokenService);
    await until(() => tokens.every((each) => each.isRevoked({ ...author.viewer, signInId })) || null);
    sweep();

    expect((await source.closed()).text).toMatch(/retry: [1-4]\d{3}\n\n$/);
  });

  it('has a comment every 20 s, and ends after 15 minutes', async () => {
    const source = await opened(await world.person());
    const quiet = source.text;

    sweep(19_000);
    sweep(21_000);
    await until(() => source.text !== quiet || null);
    expect(source.text.slice(quiet.length)).toBe(':\n\n');
    sweep(OLD_MS);

    expect((await source.closed()).text).toMatch(/retry: [1-4]\d{3}\n\n$/);
  });

  it('is one of three of an account, in place of the oldest, and holds no slot of the concurrency limiter', async () => {
    const [author, reader] = await world.people(2);
    const other = await opened(reader, { at: app.ownUrl });
    const own: TestEventSource[] = [];
    for (let at = 0; at < 5; at++) own.push(await opened(author, { at: app.ownUrl }));

    const ended = await Promise.all(own.slice(0, 2).map((source) => source.closed()));

    for (const { text } of ended) expect(text).toMatch(/retry: [1-5]\d{4}\n\n$/);
    expect([...own.slice(2), other].map(({ isClosed }) => isClosed)).toEqual([false, false, false, false]);
    await until(() => app.app.get(ConcurrencyLimiter).inFlight === 0 || null);
    await comment(author, reader);
    for (const source of own.slice(2)) await source.latest('notification');
  });

  it('is counted by a metric of its process', async () => {
    await opened(await world.person(), { at: other.url });

    // The last app of this process has the gauge, and nginx does not expose its metrics.
    expect((await createClient(other.ownUrl).get('/metrics')).body).toMatch(/^opencanvas_event_streams_open [1-9]/m);
  });

  it('is cut when its client does not read', async () => {
    const author = await world.person();
    const slow = new RawClient(app.ownUrl);
    slow.send(`GET ${PATH} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${author.token}\r\n\r\n`);
    await until(() => slow.text.includes('event: unread') || null);
    slow.socket.pause();
    const [stream] = [...app.app.get<any>(SseStreams).streams].filter(({ viewer }: any) => viewer.id === author.id);

    const event = { event: 'notification', id: 'x', data: 'x'.repeat(60_000) };
    await until(() => {
      stream.send([event]);
      return !stream.isOpen || null;
    });

    slow.socket.resume();
    await slow.closed;
  });

  it('reads new groups by a range of an index', async () => {
    const [author, reader] = await world.people(2);
    const plans = await plansOf(
      app,
      async () => {
        const source = await opened(author);
        await comment(author, reader);
        await source.latest('notification');
      },
      'notifications',
    );

    expect(plans.length).toBeGreaterThan(0);
    for (const { plan, docsExamined, nReturned } of plans) {
      expect(plan).toContain('IXSCAN');
      expect(docsExamined).toBeLessThanOrEqual(nReturned);
    }
  });

  describe('by a ticket', () => {
    const ticketOf = async (by: Person): Promise<string> => {
      const { status, body } = await app.client.post('/v1/notifications/stream-ticket', { token: by.token });
      expect([status, body.expiresIn]).toEqual([201, 60]);
      return body.ticket;
    };
    const openBy = async (query: string, at = app.url): Promise<TestEventSource> => {
      const source = await TestEventSource.open(`${at}/v1/notifications/event-source?${query}`);
      sources.push(source);
      return source;
    };

    it('opens once, on any host, and continues after lastEventId', async () => {
      const [author, reader] = await world.people(2);
      const [ticket, next] = [await ticketOf(author), await ticketOf(author)];
      const source = await openBy(`ticket=${ticket}`, other.url);
      const { id } = await source.latest('unread');

      for (const at of [app.url, other.url]) expect((await openBy(`ticket=${ticket}`, at)).response.status).toBe(401);
      source.close();
      await comment(author, reader);
      const resumed = await openBy(`ticket=${next}&lastEventId=${id}`);

      expect((await resumed.latest('notification')).data.comment.content).toBe('Live.');
    });

    it('is refused after a minute, and after the end of the session', async () => {
      const author = await world.person({ overHttp: true });
      const [late, ended] = [await ticketOf(author), await ticketOf(author)];
      const rows = app.db.collection('one_time_tokens');
      await rows.updateOne({ kind: 'stream-ticket', userId: author._id }, { $set: { expiresAt: new Date() } });

      await app.client.post('/v1/auth/logout', { body: { refreshToken: author.refreshToken } });

      for (const ticket of [late, ended]) {
        const path = `/v1/notifications/event-source?ticket=${ticket}`;
        expectProblem(await app.client.get(path), 401, 'invalid_stream_ticket');
      }
    });
  });

  it('is read by the SDK, which connects again and misses nothing', async () => {
    const [author, reader] = await world.people(2);
    const client = new OpenCanvas({ baseUrl: app.url, apiToken: author.token, sleep: () => Promise.resolve() });
    const seen: string[] = [];
    let isOpen = false;
    const reading = (async () => {
      for await (const { event, data } of client.stream()) {
        isOpen = true;
        if (event === 'notification') seen.push(data.comment!.content);
        if (seen.includes('Third.')) return;
      }
    })();
    await until(() => isOpen || null);

    for (const content of ['First.', 'Second.', 'Third.']) {
      await comment(author, reader, content);
      sweep(OLD_MS);
    }
    await reading;

    expect([...new Set(seen)]).toEqual(['First.', 'Second.', 'Third.']);
  });

  it('throws in the SDK when the server refuses it', async () => {
    const client = new OpenCanvas({ baseUrl: app.url });

    await expect(client.stream().next()).rejects.toMatchObject({ problem: { code: 'unauthorized' } });
  });

  describeWith('nginx', 'behind nginx', (binary) => {
    it('passes each event on while the stream is open', async () => {
      const [author, reader] = await world.people(2);
      const nginx = new Nginx(binary, app.ownUrl);
      try {
        await nginx.start();
        const source = await opened(author, { at: nginx.url });
        await comment(author, reader);
        await source.latest('notification');
        expect(source.isClosed).toBe(false);
      } finally {
        await nginx.remove();
      }
    });
  });

  describeWith('chromium', 'in a browser', (executablePath) => {
    let browser: Browser;

    beforeAll(async () => {
      const args = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'];
      browser = await chromium.launch({ executablePath, args });
    });
    afterAll(() => browser.close());

    it('a page of another origin shows a comment as it arrives', async () => {
      const [author, reader] = await world.people(2);
      const site = createServer((_, response) => {
        response.setHeader('content-type', 'text/html').end(pageOf(app.url, author.token));
      });
      await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
      try {
        const page = await browser.newPage();
        page.setDefaultTimeout(90_000);
        await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`);
        await page.getByText('unread: 0').waitFor();

        await comment(author, reader, 'Shown in the page.');

        await page.getByText('Shown in the page.').waitFor();
        await page.getByText('unread: 1').waitFor();
      } finally {
        site.close().closeAllConnections();
      }
    });
  });
});

function pageOf(url: string, token: string): string {
  return `<title>notifications</title><p id="unread"></p><ul id="list"></ul><script type="module">
    const of = '${url}/v1/notifications';
    const request = { method: 'POST', headers: { authorization: 'Bearer ${token}' } };
    const { ticket } = await (await fetch(of + '/stream-ticket', request)).json();
    const source = new EventSource(of + '/event-source?ticket=' + ticket);
    source.addEventListener('unread', ({ data }) => {
      document.getElementById('unread').textContent = 'unread: ' + JSON.parse(data).count;
    });
    source.addEventListener('notification', ({ data }) => {
      const item = document.createElement('li');
      item.textContent = JSON.parse(data).comment.content;
      document.getElementById('list').append(item);
    });
  </script>`;
}
