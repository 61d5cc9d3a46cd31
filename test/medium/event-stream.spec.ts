import { setTimeout as sleep } from 'node:timers/promises';
import { ResponseCache } from '../../src/platform/cache/response-cache.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import type { Transaction } from '../../src/platform/mongo/transaction.js';
import { ALL_CHANGED, eventRow, EVENTS, type StoredEvent } from '../../src/platform/events/event.schema.js';
import type { Topic } from '../../src/common/topic.js';
import { EventStream } from '../../src/platform/events/event-stream.js';
import { StreamTrust, type TrustHolder } from '../../src/platform/events/stream-trust.js';
import { startApp, type TestApp } from '../support/app.js';
import { JobTriggers } from '../../src/platform/jobs/job-triggers.js';
import { signUp, TEST_PASSWORD } from '../support/accounts.js';
import { whileFailing } from '../support/fail-point.js';
import { takeClock } from '../support/clock.js';
import { until } from '../support/until.js';
import type { Person } from '../support/world.js';

const TOPIC: Topic<{ count: number }> = { name: 'test.counted' };

/** Records every event of the topic that one host receives. */
function listenAt({ app }: TestApp) {
  const events: number[] = [];
  const gaps: number[] = [];
  app
    .get(EventStream)
    .subscribe(TOPIC, { onEvent: ({ count }) => events.push(count), onGap: () => gaps.push(events.length) });
  return { events, gaps };
}

describe('an event', () => {
  let hosts: [TestApp, TestApp];
  let author: Person;
  const tell = (count: number, tx: Transaction) => tx.publish(TOPIC, { count });
  /** Publishes an event that every host treats as a gap. */
  const tellAll = () => hosts[0].db.collection<StoredEvent>(EVENTS).insertOne(eventRow(ALL_CHANGED, null));
  const commit = (count: number) =>
    hosts[0].app.get(MongoService).transaction(async (tx) => {
      tell(count, tx);
    });

  beforeAll(async () => {
    const options = { role: 'all', env: { CLEANUP_DELAY_MS: '0' } } as const;
    const first = await startApp(options);
    hosts = [first, await startApp({ ...options, beside: first })];
    author = await first.world.person();
    for (const { app } of hosts) await until(() => app.get(EventStream).isOpen || null);
  });
  afterAll(async () => {
    for (const host of [...hosts].reverse()) await host.close();
  });

  it('reaches every host once in the order of commits, unless rolled back', async () => {
    const [here, there] = [listenAt(hosts[0]), listenAt(hosts[1])];
    const rolledBack = hosts[0].app.get(MongoService).transaction(async (tx) => {
      tell(-1, tx);
      throw new Error('changed its mind');
    });
    await expect(rolledBack).rejects.toThrow('changed its mind');
    for (let count = 0; count < 50; count++) await commit(count);
    await until(() => there.events.at(-1) === 49 || null);
    await until(() => here.events.at(-1) === 49 || null);
    const all = Array.from({ length: 50 }, (_, count) => count);
    expect([here, there]).toEqual([
      { events: all, gaps: [] },
      { events: all, gaps: [] },
    ]);
  });

  it('is one row, which expires after a minute', async () => {
    const rows = () => hosts[0].db.collection('events').find({ topic: TOPIC.name, 'payload.count': 1_000 }).toArray();
    const there = listenAt(hosts[1]);
    await commit(1_000);
    // The next test counts from zero.
    await until(() => there.events.at(-1) === 1_000 || null);
    const [row, ...others] = await rows();
    expect(others).toEqual([]);
    expect(row!['expiresAt'].getTime() - row!['createdAt'].getTime()).toBe(60_000);
  });

  it('survives a lost cursor, and drops every entry after a lost position', async () => {
    const there = listenAt(hosts[1]);
    const { db } = hosts[0];
    const namespace = `${db.databaseName}.events`;
    const cursorNotFound = { failCommands: ['getMore'], errorCode: 43, namespace };
    await whileFailing(db, { times: 4 }, cursorNotFound, async () => {
      for (let count = 0; count < 20; count++) await commit(count);
      await until(() => there.events.at(-1) === 19 || null);
    });
    expect(there).toEqual({ events: Array.from({ length: 20 }, (_, count) => count), gaps: [] });

    const path = '/v1/feed?limit=7';
    for (let times = 0; times < 2; times++) await hosts[1].client.get(path);
    const { store } = hosts[1].app.get(ResponseCache);
    expect(store.size).toBeGreaterThan(0);
    const errorLabels = ['NonResumableChangeStreamError'];
    const historyLost = { failCommands: ['getMore'], errorCode: 286, errorLabels, namespace };
    await whileFailing(db, 'alwaysOn', historyLost, () =>
      until(() => hosts.every(({ app }) => !app.get(EventStream).isOpen) || null),
    );
    await until(() => there.gaps[0] ?? null);
    expect(store.size).toBe(0);
    await commit(20);
    await until(() => there.events.at(-1) === 20 || null);
  });

  it('keeps data trusted by heartbeats while it is used, and not on an idle host', async () => {
    const beats = () => hosts[0].db.collection(EVENTS).countDocuments({ topic: 'stream.heartbeat' });
    const trust = hosts[0].app.get(StreamTrust);
    const holder: TrustHolder = { trustedUntil: Infinity, reportUseAfter: Infinity, reportUse: () => {} };
    trust.keep(holder);
    const clock = takeClock();
    try {
      clock.advance(60_000);
      // A heartbeat may be on its way.
      await sleep(1_000);
      const before = await beats();
      await sleep(1_500);
      expect(await beats()).toBe(before);
      expect(holder.trustedUntil).toBeLessThan(performance.now());

      if (performance.now() > holder.reportUseAfter) holder.reportUse(performance.now());

      await until(() => holder.trustedUntil > performance.now() || null);
      const first = holder.trustedUntil;
      await until(() => holder.trustedUntil > first || null);
    } finally {
      clock.release();
    }
  });

  it('triggers a job at every host after the commit, however many rows were written', async () => {
    const checks = hosts.map(({ app }, at) => {
      const checked: number[] = [];
      const dueInMs = async () => checked.push(at) && Infinity;
      app.get(JobTriggers).register('test', { everyMs: 0, dueInMs, work: async () => {} });
      return checked;
    });
    const triggers = hosts[0].app.get(JobTriggers);
    const [here, there] = [listenAt(hosts[0]), listenAt(hosts[1])];
    const rolledBack = hosts[0].app.get(MongoService).transaction(async (tx) => {
      tx.afterCommit(() => triggers.fire('test'));
      throw new Error('changed its mind');
    });
    await expect(rolledBack).rejects.toThrow('changed its mind');
    await commit(2_000);
    await until(() => (here.events.at(-1) === 2_000 && there.events.at(-1) === 2_000) || null);
    expect(checks).toEqual([[], []]);

    await hosts[0].app.get(MongoService).transaction(async (tx) => {
      for (let row = 0; row < 100; row++) tx.afterCommit(() => triggers.fire('test'));
    });

    await until(() => checks.every((of) => of.length > 0) || null);
    expect(checks).toEqual([[0], [1]]);
  });

  it('drops an outdated response at the other host after an edit', async () => {
    const post = await hosts[0].world.post({ by: author });
    const path = `/v1/posts/${post.id}`;
    const invalidations = () => hosts[1].app.get(ResponseCache).counts.invalidations;
    for (let round = 0; round < 3; round++) {
      await until(async () => (await fetch(hosts[1].url + path)).headers.get('x-cache') === 'HIT' || null);
      const before = invalidations();
      const title = `Edited in round ${round}`;
      const edited = await hosts[0].client.patch(path, { token: author.token, body: { title } });
      expect(edited.status).toBe(200);
      await until(async () => ((await hosts[1].client.get(path)).body.title === title ? true : null));
      // The entry was invalidated and did not expire.
      expect(invalidations()).toBeGreaterThan(before);
    }
  });

  it('revokes tokens at the other host', async () => {
    const [here, there] = [hosts[0].client, hosts[1].client];
    const passwords = { currentPassword: TEST_PASSWORD, newPassword: 'a new password of mine' };
    for (const end of ['logout', 'sessions', 'password', 'account']) {
      const account = await signUp(here);
      const login = { login: account.username, password: TEST_PASSWORD };
      const other = (await here.post('/v1/auth/login', { body: login })).body;
      const { token } = account;
      const statusThere = async () => (await there.get('/v1/auth/me', { token: other.accessToken })).status;
      expect([end, await statusThere()]).toEqual([end, 200]);
      const { status } = await {
        logout: () => here.post('/v1/auth/logout', { body: { refreshToken: other.refreshToken } }),
        sessions: () => here.delete('/v1/auth/sessions', { token }),
        password: () => here.put('/v1/auth/password', { token, body: passwords }),
        account: () => here.delete('/v1/users/me', { token, body: { password: TEST_PASSWORD } }),
      }[end]!();
      expect([end, status]).toEqual([end, 204]);
      await until(async () => (await statusThere()) === 401 || null);
    }
  });

  it('reads the revoked tokens after a gap, after any number of failures of the database', async () => {
    const account = await signUp(hosts[0].client);
    const { token } = account;
    const statusThere = async () => (await hosts[1].client.get('/v1/auth/me', { token })).status;
    expect(await statusThere()).toBe(200);
    // Simulates a stream that missed the event.
    await hosts[0].db
      .collection('users')
      .updateOne({ username: account.username }, { $currentDate: { deletedAt: true } });
    const refused = { failCommands: ['find'], errorCode: 13, namespace: `${hosts[0].db.databaseName}.users` };
    const failed = await whileFailing(hosts[0].db, { times: 4 }, refused, async () => {
      await tellAll();
      await until(async () => (await statusThere()) === 401 || null);
    });
    expect(failed).toBe(4);
  });

  it('drops a response once, at the host that wrote and at the other', async () => {
    const post = await hosts[0].world.post({ by: author });
    const counts = () => hosts.map(({ app }) => app.get(ResponseCache).counts.invalidations);
    const listeners = hosts.map(listenAt);
    /** Waits until both hosts have received every event committed before. */
    const untilHeard = async (count: number) => {
      await commit(count);
      await until(() => listeners.every(({ events }) => events.at(-1) === count) || null);
    };
    // The tasks of the post may also invalidate responses.
    await until(async () => (await hosts[0].db.collection('tasks').countDocuments({})) === 0 || null);
    await untilHeard(1);
    const before = counts();
    await hosts[0].client.patch(`/v1/posts/${post.id}`, { token: author.token, body: { title: 'Once' } });
    await untilHeard(2);
    expect(counts()).toEqual(before.map((count) => count + 1));
  });
});
