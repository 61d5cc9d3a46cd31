import { setTimeout as sleep } from 'node:timers/promises';
import { MongoNetworkError } from 'mongodb';
import { LeaseLostError, LeaseService } from '../../src/platform/mongo/lease.service.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { useMongoModule } from '../support/mongo-module.js';
import { until } from '../support/until.js';

/** longer than a busy machine pauses */
const SHORT_MS = 4_000;

describe('LeaseService', () => {
  const database = useMongoModule();
  let here: LeaseService;
  let there: LeaseService;
  let mongo: MongoService;
  let name = 0;
  const fresh = () => `lease-${(name += 1)}`;

  beforeAll(async () => {
    const module = await database.open();
    here = module.get(LeaseService);
    mongo = module.get(MongoService);
    there = (await database.open()).get(LeaseService);
  });

  it('is given to exactly one of many that ask at once, also the first time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const lease = fresh();
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => (i % 2 ? here : there).acquire(lease, 10_000)),
      );
      expect(answers.filter((answer) => answer !== null)).toHaveLength(1);
    }
  });

  it('passes on when released or run out, each time with a larger token', async () => {
    const lease = fresh();
    const first = (await here.acquire(lease, 10_000))!;
    expect(await there.acquire(lease, SHORT_MS)).toBeNull();
    await here.release(first);
    const second = (await there.acquire(lease, SHORT_MS))!;
    expect(await here.acquire(lease, SHORT_MS)).toBeNull();
    const third = await until(() => here.acquire(lease, 10_000));
    expect([first.token, second.token, third.token]).toEqual([1, 2, 3]);
    expect(await there.renew(second, 10_000)).toBe(false);
    await there.release(second);
    expect(await there.acquire(lease, 10_000)).toBeNull();
  });

  it('is kept by renewing for as long as the work takes, and free at once afterwards', async () => {
    const lease = fresh();
    const outcome = await here.withLease(
      lease,
      async (signal) => {
        await sleep(SHORT_MS + 1_500);
        expect(await there.withLease(lease, async () => 'second')).toEqual({ ran: false });
        return signal.aborted;
      },
      { ttlMs: SHORT_MS },
    );
    expect(outcome).toEqual({ ran: true, result: false });
    expect(await there.withLease(lease, async () => 'mine')).toEqual({ ran: true, result: 'mine' });
  });

  it('tells the work when it was taken over, and fences its late transaction off', async () => {
    const lease = fresh();
    await here.withLease(
      lease,
      async (signal, mine) => {
        const leases = mongo.collection<{ _id: string }>('leases');
        // a renewal may come between the two
        await until(async () => {
          await leases.updateOne({ _id: lease }, { $set: { expiresAt: new Date(0) } });
          return there.acquire(lease, 60_000);
        });
        if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
        expect(signal.reason).toBeInstanceOf(LeaseLostError);
        const late = mongo.transaction(async (session) => {
          await mongo.collection('results').insertOne({ late: true }, { session });
          await here.confirm(mine, session);
        });
        await expect(late).rejects.toBeInstanceOf(LeaseLostError);
      },
      { ttlMs: 1_500 },
    );
    expect(await mongo.collection('results').countDocuments()).toBe(0);
    expect(await here.acquire(lease, 100)).toBeNull();
  });

  it('is left to run out when the work ended with an outage: what it had sent may still arrive', async () => {
    const lease = fresh();
    const work = here.withLease(lease, () => Promise.reject(new MongoNetworkError('cut')), { ttlMs: SHORT_MS });
    await expect(work).rejects.toThrow('cut');
    expect(await there.acquire(lease, 100)).toBeNull();
    await until(() => there.acquire(lease, 100));
  });

  it('aborts on time when the database cannot be asked', async () => {
    const lonely = (await database.open()).get(LeaseService);
    const startedAt = Date.now();
    await lonely.withLease(
      fresh(),
      async (signal) => {
        lonely.renew = () => Promise.reject(new Error('no answer'));
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
      { ttlMs: 1_500 },
    );
    expect(Date.now() - startedAt).toBeLessThan(10_000);
  });
});
