import fc from 'fast-check';
import { CodedError } from './errors.js';
import { GroupCommit } from './group-commit.js';
import { hostClock } from './host-clock.js';

/** A commit the test opens by hand. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('GroupCommit', () => {
  it('lets calls that arrive during a commit share the next one, and never runs two at once', async () => {
    const batches: number[][] = [];
    const first = gate();
    let running = 0;
    const group = new GroupCommit<number, number>({
      name: 'test',
      commit: async (items) => {
        expect(++running).toBe(1);
        batches.push(items);
        if (batches.length === 1) await first.opened;
        running--;
        return items.map((item) => item * 10);
      },
    });
    const one = group.submit(1);
    await turn();
    await turn();
    const others = [2, 3, 4].map((item) => group.submit(item));
    first.open();
    expect(await one).toBe(10);
    expect(await Promise.all(others)).toEqual([20, 30, 40]);
    expect(batches).toEqual([[1], [2, 3, 4]]);
    expect(group.stats).toEqual({ batches: 2, items: 4, delegated: 0, refused: 0, split: 0, largestBatch: 3 });
  });

  it('gives its turn back before its callers go on, also when their commit failed', async () => {
    const seen: string[] = [];
    const group = new GroupCommit<number, number>({
      name: 'test',
      turn: async () => {
        seen.push('turn');
        return () => seen.push('given back');
      },
      commit: async (items) => {
        seen.push(`commit ${items.join()}`);
        if (items.includes(3)) throw new Error('poison');
        return items;
      },
    });
    await Promise.all([1, 2].map(async (item) => seen.push(`answered ${await group.submit(item)}`)));
    expect(seen.splice(0)).toEqual(['turn', 'commit 1,2', 'given back', 'answered 1', 'answered 2']);
    await group.submit(3).catch(() => seen.push('refused'));
    expect(seen.splice(0)).toEqual(['turn', 'commit 3', 'given back', 'refused']);
    // one turn for both halves: the second gives it back
    await Promise.allSettled([3, 4].map((item) => group.submit(item).then(() => seen.push('answered'))));
    expect(seen).toEqual(['turn', 'commit 3,4', 'commit 3', 'commit 4', 'given back', 'answered']);
  });

  it('cuts a long queue into batches of the stated size', async () => {
    const sizes: number[] = [];
    const group = new GroupCommit<number, number>({
      name: 'test',
      maxBatch: 4,
      commit: async (items) => {
        sizes.push(items.length);
        return items;
      },
    });
    await Promise.all(Array.from({ length: 10 }, (_, item) => group.submit(item)));
    expect(sizes).toEqual([4, 4, 2]);
  });

  it('refuses one item with the error that stands in its place and accepts its neighbours', async () => {
    const group = new GroupCommit<number, number>({
      name: 'test',
      commit: async (items) => items.map((item) => (item === 2 ? new CodedError('post_not_found', 'gone') : item)),
    });
    const answers = await Promise.allSettled([1, 2, 3].map((item) => group.submit(item)));
    expect(answers.map((answer) => answer.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    await expect(group.submit(2)).rejects.toMatchObject({ code: 'post_not_found' });
  });

  it('answers 503 with Retry-After when the queue is full', async () => {
    const held = gate();
    const group = new GroupCommit<number, number>({
      name: 'votes',
      maxBatch: 1,
      maxQueue: 2,
      commit: async (items) => {
        await held.opened;
        return items;
      },
    });
    const first = group.submit(0);
    await turn();
    await turn();
    const waiting = [group.submit(1), group.submit(2)];
    await expect(group.submit(3)).rejects.toMatchObject({ code: 'overloaded', retryAfterSeconds: 1 });
    expect(group.stats.refused).toBe(1);
    held.open();
    expect(await Promise.all([first, ...waiting])).toEqual([0, 1, 2]);
  });

  it('fails a batch as it stands when the server is away, without asking it again for each half', async () => {
    const labelled = (name: string, label?: string): Error =>
      Object.assign(new Error(name), { name, hasErrorLabel: (asked: string) => asked === label });
    for (const outage of [
      labelled('MongoNetworkError'),
      labelled('MongoServerError', 'UnknownTransactionCommitResult'),
      labelled('MongoServerError', 'TransientTransactionError'),
      new CodedError('database_unavailable', 'away', { retryAfterSeconds: 2 }),
    ]) {
      let commits = 0;
      const group = new GroupCommit<number, number>({
        name: 'test',
        commit: async () => {
          commits++;
          throw outage;
        },
      });
      const answers = await Promise.allSettled([1, 2, 3, 4].map((item) => group.submit(item)));
      expect(answers.every((answer) => answer.status === 'rejected' && answer.reason === outage)).toBe(true);
      expect(commits).toBe(1);
    }
  });

  it('never answers with a neighbour’s result when the commit loses count', async () => {
    const group = new GroupCommit<number, number>({ name: 'votes', commit: async (items) => items.slice(1) });
    const answers = await Promise.allSettled([group.submit(1), group.submit(2)]);
    expect(answers.map((answer) => answer.status)).toEqual(['rejected', 'rejected']);
  });

  it('flushes what it has accepted when it closes, and accepts nothing more', async () => {
    const done: number[] = [];
    const group = new GroupCommit<number, number>({
      name: 'test',
      maxBatch: 2,
      commit: async (items) => {
        await turn();
        done.push(...items);
        return items;
      },
    });
    const accepted = [1, 2, 3, 4, 5].map((item) => group.submit(item));
    const closing = group.close();
    await expect(group.submit(6)).rejects.toMatchObject({ code: 'shutting_down' });
    await closing;
    expect(done).toEqual([1, 2, 3, 4, 5]);
    expect(await Promise.all(accepted)).toEqual([1, 2, 3, 4, 5]);
  });

  describe('waits for callers that were answered together', () => {
    const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
    /** @param commitMs what a commit takes */
    const gathering = (commitMs: number) => {
      const sizes: number[] = [];
      const group = new GroupCommit<number, number>({
        name: 'test',
        commit: async (items) => {
          sizes.push(items.length);
          await pause(commitMs);
          return items;
        },
      });
      /** each sends again when it is answered, after a pause of its own */
      const clients = (count: number, rounds: number, pauseMs: (client: number) => number) =>
        Promise.all(
          Array.from({ length: count }, async (_, client) => {
            for (let round = 0; round < rounds; round++) {
              await group.submit(client);
              await pause(pauseMs(client));
            }
          }),
        );
      return { group, sizes, clients };
    };

    it('to come back, so that they share the next commit again', async () => {
      const { sizes, clients } = gathering(40);
      await clients(40, 10, (client) => (client % 2 === 0 ? 0 : 4));
      // without the wait, those that come back at once would go first, and two batches would take turns for ever
      expect(sizes.filter((size) => size === 40).length).toBeGreaterThanOrEqual(5);
    });

    it('no longer than a commit takes, nor than 8 ms', async () => {
      for (const [commitMs, limitMs] of [
        [40, 8],
        [2, 2],
      ] as const) {
        const { group, clients } = gathering(commitMs);
        let shortest = Infinity;
        for (let attempt = 0; attempt < 5; attempt++) {
          await clients(40, 1, () => 0);
          const startedAt = performance.now();
          await group.submit(1);
          shortest = Math.min(shortest, performance.now() - startedAt);
        }
        // what a timer of this machine adds to both waits
        expect(shortest).toBeLessThan(commitMs + limitMs + 8);
        if (limitMs === 8) expect(shortest).toBeGreaterThan(commitMs + limitMs - 2);
      }
    });

    it('only where there were many of them', async () => {
      const { group, clients } = gathering(40);
      let shortest = Infinity;
      for (let attempt = 0; attempt < 5; attempt++) {
        await clients(7, 1, () => 0);
        const startedAt = performance.now();
        await group.submit(1);
        shortest = Math.min(shortest, performance.now() - startedAt);
      }
      expect(shortest).toBeLessThan(46);
    });

    it('and for no more than fit into a batch, nor when it closes', async () => {
      const sizes: number[] = [];
      const group = new GroupCommit<number, number>({
        name: 'test',
        maxBatch: 10,
        commit: async (items) => {
          sizes.push(items.length);
          await pause(20);
          return items;
        },
      });
      let shortest = Infinity;
      for (let attempt = 0; attempt < 5; attempt++) {
        const startedAt = performance.now();
        await Promise.all(Array.from({ length: 30 }, (_, item) => group.submit(item)));
        shortest = Math.min(shortest, performance.now() - startedAt);
      }
      expect(sizes).toEqual(Array.from({ length: 15 }, () => 10));
      // three commits of 20 ms; waiting for 30 would be 8 ms more for each but the first
      expect(shortest).toBeLessThan(60 + 14);
      const last = group.submit(1);
      await turn();
      await turn();
      await group.close();
      expect(await last).toBe(1);
    });
  });

  describe('lets another process commit', () => {
    it('what that one takes, and commits itself what it does not, with whatever came meanwhile', async () => {
      const here: number[][] = [];
      const there: number[][] = [];
      const group = new GroupCommit<number, number>({
        name: 'test',
        delegate: async (items) => {
          there.push(items);
          await turn();
          await turn();
          return items.map((item) =>
            item % 10 === 0 ? undefined : item === 3 ? new CodedError('post_not_found', 'gone') : item * 10,
          );
        },
        commit: async (items) => {
          here.push(items);
          return items.map((item) => -item);
        },
      });
      const answers = Promise.allSettled([1, 10, 3, 20].map((item) => group.submit(item)));
      await turn();
      await turn();
      const late = group.submit(5);
      expect((await answers).map((answer) => (answer.status === 'fulfilled' ? answer.value : 'refused'))).toEqual([
        10,
        -10,
        'refused',
        -20,
      ]);
      expect(await late).toBe(-5);
      expect([here, there]).toEqual([[[10, 20, 5]], [[1, 10, 3, 20]]]);
      expect(group.stats).toMatchObject({ batches: 1, items: 3, delegated: 2 });
    });

    it('and refuses for another what that one has given up by the time it would write', async () => {
      const written: number[][] = [];
      const group = new GroupCommit<number, number>({
        name: 'test',
        commit: async (items, stillWanted) => {
          await pause(30);
          stillWanted();
          written.push(items);
          return items;
        },
      });
      const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
      const now = hostClock();
      const answers = await Promise.allSettled([
        group.submit(1),
        group.submit(2, now + 10),
        group.submit(3, now + 10_000),
        group.submit(4),
      ]);
      expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
      expect(written.flat().sort()).toEqual([1, 3, 4]);
    });

    it('at once for all that were given up, however many, and without a commit for those that were before it begins', async () => {
      let commits = 0;
      const group = new GroupCommit<number, number>({
        name: 'test',
        commit: async (items, stillWanted) => {
          commits++;
          const until = performance.now() + 40;
          while (performance.now() < until) await turn();
          stillWanted();
          return items;
        },
      });
      const now = hostClock();
      // a third was given up, a third will be before it is read, a third stays
      const answers = await Promise.allSettled(
        Array.from({ length: 300 }, (_, item) => group.submit(item, [now - 1, now + 30, Infinity][item % 3])),
      );
      for (const [item, { status }] of answers.entries())
        expect(status).toBe(item % 3 === 2 ? 'fulfilled' : 'rejected');
      expect(commits).toBeLessThanOrEqual(2);
    });
  });

  it('answers every item once, in submission order, whatever arrives when and whichever items are poisoned', async () => {
    const arrivals = fc.array(fc.record({ pause: fc.integer({ min: 0, max: 3 }), isPoisoned: fc.boolean() }), {
      minLength: 1,
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(arrivals, fc.integer({ min: 1, max: 8 }), async (plan, maxBatch) => {
        const committed: number[] = [];
        const group = new GroupCommit<number, number>({
          name: 'test',
          maxBatch,
          commit: async (items) => {
            await turn();
            if (items.some((item) => plan[item]!.isPoisoned)) throw new Error('poison');
            committed.push(...items);
            return items.map((item) => item * 2);
          },
        });
        const answers: Promise<number>[] = [];
        for (const [item, { pause }] of plan.entries()) {
          const answer = group.submit(item);
          answer.catch(() => undefined);
          answers.push(answer);
          for (let turns = 0; turns < pause; turns++) await turn();
        }
        const settled = await Promise.allSettled(answers);
        settled.forEach((answer, item) => {
          if (plan[item]!.isPoisoned) expect(answer.status).toBe('rejected');
          else expect(answer).toEqual({ status: 'fulfilled', value: item * 2 });
        });
        expect(committed).toEqual(plan.flatMap(({ isPoisoned }, item) => (isPoisoned ? [] : [item])));
      }),
      { numRuns: 60 },
    );
  });
});
