import { ActivityProcessorService } from '../../src/activity/activity-processor.service.js';
import { ActivityService } from '../../src/activity/activity.service.js';
import { decodeFacts, encodeFacts, type Fact } from '../../src/activity/activity-facts.js';
import { CodedError } from '../../src/common/errors.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { ObjectId } from 'mongodb';
import { useApp } from '../support/app.js';
import { drainActivity } from '../support/verbs.js';

const TIMEOUT = { code: 'database_unavailable' } as const;

describe('activity facts', () => {
  const app = useApp({ oneHost: 'a handler is registered in one process' });
  const bad = new ObjectId();
  let applied: string[] = [];
  let duringApply: (() => Promise<void>) | undefined;
  let tooMany: (count: number) => boolean = () => false;

  const facts = (count: number, kind: Fact['kind'] = 'collection_follow'): Fact[] =>
    Array.from({ length: count }, () => ({ kind, actor: new ObjectId(), target: new ObjectId() }));
  const add = (given: Fact[]): Promise<void> =>
    app.app.get(MongoService).transaction((tx) => app.app.get(ActivityService).add(tx, given));
  const rows = (name: string): Promise<number> => app.db.collection(name).countDocuments();

  beforeAll(() =>
    app.app.get(ActivityProcessorService).register({
      name: 'a test',
      apply: async (given) => {
        if (tooMany(given.length)) throw new CodedError(TIMEOUT.code, 'The database does not respond.');
        if (given.some(({ actor }) => actor.equals(bad))) throw new Error('this fact fails');
        applied.push(...given.map(({ target }) => target.toHexString()));
        await duringApply?.();
      },
    }),
  );
  beforeEach(() => (applied = []));

  it('are stored in 37 bytes each and read as they were', () => {
    const given = [...facts(2, 'comment').map((fact) => ({ ...fact, second: new ObjectId() }))];
    const stored = encodeFacts(given);
    expect([stored.length(), decodeFacts(stored)]).toEqual([74, given]);
  });

  it('are one row for each transaction, and are all applied, in batches of at most 5,000', async () => {
    const batches = [facts(3), facts(6_000), facts(1, 'like')];
    for (const batch of batches) await add(batch);
    expect(await rows('activity')).toBe(3);
    await drainActivity(app);
    expect([...applied].sort()).toEqual(
      batches
        .flat()
        .map(({ target }) => String(target))
        .sort(),
    );
    expect(await rows('activity')).toBe(0);
  });

  it('of transactions that commit during a run wait for the next run', async () => {
    duringApply = () => add(facts(1));
    await add(facts(3));
    await drainActivity(app);
    expect([applied.length, await rows('activity')]).toEqual([3, 1]);

    duringApply = undefined;
    await drainActivity(app);
    expect([applied.length, await rows('activity')]).toEqual([4, 0]);
  });

  it('are tried ten times; then the one that fails is set apart, and the others are applied once', async () => {
    const [before, after] = [facts(20), facts(20)];
    await add([...before, { kind: 'follow', actor: bad, target: bad }, ...after]);
    await add(facts(1, 'like'));
    for (let tries = 0; tries < 10; tries++) await expect(drainActivity(app)).rejects.toThrow('this fact fails');
    expect(applied).toHaveLength(1);
    expect(await rows('activity_dead')).toBe(0);
    await drainActivity(app);
    const others = [...before, ...after].map(({ target }) => String(target));
    expect(applied.slice(1).sort()).toEqual(others.sort());
    expect(await rows('activity')).toBe(0);
    expect(await app.db.collection('activity_dead').findOne()).toMatchObject({ error: 'Error: this fact fails' });
  });

  it('are applied in smaller batches when a transaction with all of them ends at its timeout', async () => {
    const dead = await rows('activity_dead');
    const sizes: number[] = [];
    tooMany = (count) => {
      sizes.push(count);
      return count > 3;
    };
    const given = facts(20);
    await add(given);
    while ((await rows('activity')) > 0)
      await drainActivity(app).catch((error: unknown) => expect(error).toMatchObject(TIMEOUT));
    tooMany = () => false;
    expect(sizes.slice(0, 5)).toEqual([20, 10, 5, 3, 4]);
    expect([...applied].sort()).toEqual(given.map(({ target }) => String(target)).sort());
    expect(await rows('activity_dead')).toBe(dead);
  });
});
