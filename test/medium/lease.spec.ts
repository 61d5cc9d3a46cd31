import { MongoNetworkError } from 'mongodb';
import { type LeaseDocument, LeaseLostError, LeaseService } from '../../src/platform/mongo/lease.service.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { useMongoModule } from '../support/mongo-module.js';
import { until } from '../support/until.js';

/** Longer than this file runs. */
const LONG_MS = 600_000;

describe('LeaseService', () => {
  const database = useMongoModule();
  let here: LeaseService;
  let there: LeaseService;
  let mongo: MongoService;
  let name = 0;
  const fresh = () => `lease-${(name += 1)}`;
  const rows = () => mongo.collection<LeaseDocument>('leases');
  /** Expires the lease by the clock of the database. */
  const runOut = (lease: string) => rows().updateOne({ _id: lease }, { $set: { expiresAt: new Date(0) } });

  beforeAll(async () => {
    const module = await database.open();
    here = module.get(LeaseService);
    mongo = module.get(MongoService);
    there = (await database.open()).get(LeaseService);
  });

  it('is acquired by one of many callers', async () => {
    for (let round = 0; round < 5; round += 1) {
      const lease = fresh();
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => (i % 2 ? here : there).acquire(lease, 10_000)),
      );
      expect(answers.filter((answer) => answer !== null)).toHaveLength(1);
    }
  });

  it('passes on with a larger token when released or run out', async () => {
    const lease = fresh();
    const first = (await here.acquire(lease, LONG_MS))!;
    expect(await there.acquire(lease, LONG_MS)).toBeNull();
    await here.release(first);
    const second = (await there.acquire(lease, LONG_MS))!;
    expect(await here.acquire(lease, LONG_MS)).toBeNull();
    await runOut(lease);
    const third = (await here.acquire(lease, LONG_MS))!;
    expect([first.token, second.token, third.token]).toEqual([1, 2, 3]);
    expect(await there.renew(second, LONG_MS)).toBe(false);
    await there.release(second);
    expect(await there.acquire(lease, LONG_MS)).toBeNull();
  });

  it('is renewed while the work runs and free afterwards', async () => {
    const lease = fresh();
    const outcome = await here.withLease(
      lease,
      async (signal) => {
        const before = (await rows().findOne({ _id: lease }))!.expiresAt;
        await until(async () => (await rows().findOne({ _id: lease }))!.expiresAt > before || null);
        expect(await there.withLease(lease, async () => 'second')).toEqual({ ran: false });
        return signal.aborted;
      },
      { ttlMs: 6_000 },
    );
    expect(outcome).toEqual({ ran: true, result: false });
    expect(await there.withLease(lease, async () => 'mine')).toEqual({ ran: true, result: 'mine' });
  });

  it('aborts the work when another process acquires the lease, and fences off its late transaction', async () => {
    const lease = fresh();
    await here.withLease(
      lease,
      async (signal, mine) => {
        // A renewal may happen between the two commands.
        await until(async () => {
          await runOut(lease);
          return there.acquire(lease, LONG_MS);
        });
        if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
        expect(signal.reason).toBeInstanceOf(LeaseLostError);
        const late = mongo.transaction(async (tx) => {
          await mongo.collection('results').insertOne({ late: true }, { session: tx.session });
          await here.confirm(mine, tx);
        });
        await expect(late).rejects.toBeInstanceOf(LeaseLostError);
      },
      { ttlMs: 1_500 },
    );
    expect(await mongo.collection('results').countDocuments()).toBe(0);
    expect(await here.acquire(lease, 100)).toBeNull();
  });

  it('expires when the work ended with an outage, because its writes may still arrive', async () => {
    const lease = fresh();
    const work = here.withLease(lease, () => Promise.reject(new MongoNetworkError('cut')), { ttlMs: LONG_MS });
    await expect(work).rejects.toThrow('cut');
    expect(await there.acquire(lease, LONG_MS)).toBeNull();
    await runOut(lease);
    expect(await there.acquire(lease, LONG_MS)).not.toBeNull();
  });

  it('aborts the work at its end when the database does not respond', async () => {
    const lonely = (await database.open()).get(LeaseService);
    // The work ends with the signal.
    await lonely.withLease(
      fresh(),
      async (signal) => {
        lonely.renew = () => Promise.reject(new Error('no answer'));
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
      { ttlMs: 1_500 },
    );
  });
});
