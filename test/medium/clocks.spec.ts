import { MongoServerError, ObjectId } from 'mongodb';
import { Outbox } from '../../src/platform/work-queue/work-queue.js';
import { OUTBOX, type OutboxRow } from '../../src/platform/events/event-row.js';
import { POST_DELETED } from '../../src/posts/posts.events.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { OutboxWorker } from '../../src/platform/work-queue/task-worker.js';
import { startApp, useApp } from '../support/app.js';
import { signUp } from '../support/accounts.js';
import { EndedTokens } from '../../src/auth/ended-tokens.js';
import { takeClock } from '../support/clock.js';
import { mendClock, shiftClock } from '../support/shifted-clock.js';

const HOUR_MS = 3_600_000;
const never = new AbortController().signal;

describe('a host whose clock is wrong, or jumps', () => {
  const app = useApp({ env: { JOBS_ENABLED: 'false', SWEEP_GRACE_MS: '60000', CACHE_FEED_TTL_MS: '4000' } });
  const rows = () => app.db.collection<OutboxRow>(OUTBOX);
  const addRow = (heldMs: number) =>
    app.app
      .get(MongoService)
      .transaction((session) => app.app.get(Outbox).add(session, POST_DELETED, new ObjectId(), heldMs));

  afterEach(async () => {
    mendClock();
    await rows().deleteMany({});
  });

  it('an hour fast, removes nothing before its grace', async () => {
    await addRow(0);
    shiftClock(HOUR_MS);
    expect(await app.app.get(OutboxWorker).work(never)).toMatchObject({ passes: 0 });
    // leaves out the host's own heartbeats
    expect(await rows().countDocuments({ topic: POST_DELETED.name })).toBe(1);
  });

  it('an hour slow, removes rows past their grace period, and knows their age', async () => {
    const { _id } = await addRow(0);
    await rows().updateOne({ _id }, { $set: { createdAt: new Date(Date.now() - 61_000) } });
    shiftClock(-HOUR_MS);
    const { oldestAgeMs } = await app.app.get(OutboxWorker).backlog();
    expect(oldestAgeMs).toBeGreaterThan(60_000);
    expect(Math.floor(oldestAgeMs / HOUR_MS)).toBe(0);
    expect(await app.app.get(OutboxWorker).work(never)).toMatchObject({ passes: 1 });
  });

  it.each([
    ['fast', HOUR_MS],
    ['slow', -HOUR_MS],
  ])('an hour %s, leaves rows that others see as young and held', async (_, byMs) => {
    shiftClock(byMs);
    const { _id } = await addRow(5_000);
    mendClock();
    // its age by the clock of the database, to the hour
    const hours = { $abs: { $round: { $divide: [{ $subtract: ['$$NOW', '$createdAt'] }, HOUR_MS] } } };
    const heldMs = { $subtract: ['$retryAt', '$createdAt'] };
    const seen = await rows()
      .aggregate([{ $match: { _id } }, { $project: { _id: 0, hours, heldMs } }])
      .next();
    expect(seen).toEqual({ hours: 0, heldMs: 5_000 });
  });

  it('an hour slow, ends an account whose tokens no other host honours any longer', async () => {
    const account = await signUp(app.client);
    const other = await startApp({ beside: app, env: { JOBS_ENABLED: 'false' } });
    try {
      shiftClock(-HOUR_MS);
      const { status } = await app.client.delete('/v1/users/me', {
        ...{ body: { password: account.password }, token: account.token },
      });
      mendClock();
      expect(status).toBe(204);
      await other.app.get(EndedTokens).load();
      expect((await other.client.get('/v1/auth/me', { token: account.token })).status).toBe(401);
    } finally {
      await other.close();
    }
  });

  it('set back by an hour in the middle, gives a transaction up at its time', async () => {
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

  it('set back by an hour, keeps no response longer, and set forward, forgets none', async () => {
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
