import { MongoServerError, ObjectId } from 'mongodb';
import { type Task } from '../../src/platform/work-queue/task.schema.js';
import { DRAFT_REMOVED } from '../../src/drafts/drafts.events.js';
import { ACCOUNT_ENDED } from '../../src/users/users.events.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { TaskWorker } from '../../src/platform/work-queue/task-worker.js';
import { startApp, useApp } from '../support/app.js';
import { signUp } from '../support/accounts.js';
import { TokenRevocations } from '../../src/auth/token-revocations.js';
import { takeClock } from '../support/clock.js';
import { mendClock, shiftClock } from '../support/shifted-clock.js';

const HOUR_MS = 3_600_000;
const never = new AbortController().signal;

describe('a host whose clock is wrong, or jumps', () => {
  const app = useApp({ env: { JOBS_ENABLED: 'false', CLEANUP_DELAY_MS: '60000', CACHE_FEED_TTL_MS: '4000' } });
  const rows = () => app.db.collection<Task>('tasks');
  const addTask = (topic = DRAFT_REMOVED, reservedMs = 0) =>
    app.app.get(MongoService).transaction((tx) => tx.addTask(topic, new ObjectId(), { reservedMs }));

  afterEach(async () => {
    mendClock();
    await rows().deleteMany({});
  });

  it('an hour fast, runs no cleanup before its delay', async () => {
    await addTask();
    shiftClock(HOUR_MS);
    expect(await app.app.get(TaskWorker).work(never)).toMatchObject({ done: 0 });
    expect(await rows().countDocuments()).toBe(1);
  });

  it('an hour slow, runs tasks past their delay, and knows their age', async () => {
    const { _id } = await addTask();
    await rows().updateOne(
      { _id },
      { $set: { dueAt: new Date(Date.now() - 61_000), runAt: new Date(Date.now() - 1_000) } },
    );
    shiftClock(-HOUR_MS);
    const { oldestAgeMs } = await app.app.get(TaskWorker).backlog();
    expect(oldestAgeMs).toBeGreaterThan(60_000);
    expect(Math.floor(oldestAgeMs / HOUR_MS)).toBe(0);
    expect(await app.app.get(TaskWorker).work(never)).toMatchObject({ done: 1 });
  });

  it.each([
    ['fast', HOUR_MS],
    ['slow', -HOUR_MS],
  ])('an hour %s, adds tasks that others see as new and reserved', async (_, byMs) => {
    shiftClock(byMs);
    const { _id } = await addTask(ACCOUNT_ENDED, 5_000);
    mendClock();
    // Compares with the clock of the database, to the hour.
    const hours = { $abs: { $round: { $divide: [{ $subtract: ['$$NOW', '$dueAt'] }, HOUR_MS] } } };
    const reservedMs = { $subtract: ['$runAt', '$dueAt'] };
    const seen = await rows()
      .aggregate([{ $match: { _id } }, { $project: { _id: 0, hours, reservedMs } }])
      .next();
    expect(seen).toEqual({ hours: 0, reservedMs: 5_000 });
  });

  it('an hour slow, deletes an account whose tokens no other host accepts', async () => {
    const account = await signUp(app.client);
    const other = await startApp({ beside: app, env: { JOBS_ENABLED: 'false' } });
    try {
      shiftClock(-HOUR_MS);
      const { status } = await app.client.delete('/v1/users/me', {
        ...{ body: { password: account.password }, token: account.token },
      });
      mendClock();
      expect(status).toBe(204);
      await other.app.get(TokenRevocations).load();
      expect((await other.client.get('/v1/auth/me', { token: account.token })).status).toBe(401);
    } finally {
      await other.close();
    }
  });

  it('set back by an hour during a transaction, aborts it in time', async () => {
    const conflicts = app.app.get(MongoService).transaction(
      () => {
        shiftClock(-HOUR_MS);
        const conflict = new MongoServerError({ message: 'a conflict', code: 112 });
        conflict.addErrorLabel('TransientTransactionError');
        throw conflict;
      },
      { timeoutMs: 500 },
    );
    await expect(conflicts).rejects.toThrow('Too many concurrent changes to the same resource.');
  });

  it('set back by an hour, stores no response longer, and set forward, drops none', async () => {
    const clock = takeClock();
    const state = async (query: string) => (await fetch(`${app.url}/v1/feed?${query}`)).headers.get('x-cache');
    expect([await state('limit=3'), await state('limit=3')]).toEqual(['MISS', 'HIT']);
    shiftClock(HOUR_MS);
    expect(await state('limit=3')).toBe('HIT');
    shiftClock(-HOUR_MS);
    clock.advance(4_010);
    expect(await state('limit=3')).not.toBe('HIT');
    clock.release();
  });
});
