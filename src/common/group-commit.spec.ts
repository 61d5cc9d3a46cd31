import fc from 'fast-check';
import { CodedError } from './errors.js';
import { GroupCommit, groupTotals, MAX_QUEUE } from './group-commit.js';

/** Returns a gate that blocks a commit until the test opens the gate. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('GroupCommit', () => {
  it('lets calls that arrive during a commit share the next one, and never runs two at the same time', async () => {
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
    expect(group.stats).toEqual({ batches: 2, items: 4, refused: 0, gone: 0, split: 0 });
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

  it('refuses one item with the error in its place and accepts the others', async () => {
    const group = new GroupCommit<number, number>({
      name: 'test',
      commit: async (items) => items.map((item) => (item === 2 ? new CodedError('post_not_found', 'deleted') : item)),
    });
    const answers = await Promise.allSettled([1, 2, 3].map((item) => group.submit(item)));
    expect(answers.map((answer) => answer.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    await expect(group.submit(2)).rejects.toMatchObject({ code: 'post_not_found' });
  });

  it('responds with 503 with Retry-After when the queue is full', async () => {
    const held = gate();
    const group = new GroupCommit<number, number>({
      name: 'votes',
      commit: async (items) => {
        await held.opened;
        return items;
      },
    });
    const first = group.submit(0);
    await turn();
    await turn();
    const waiting = Array.from({ length: MAX_QUEUE }, (_, item) => group.submit(item));
    await expect(group.submit(-1)).rejects.toMatchObject({ code: 'overloaded', retryAfterSeconds: 1 });
    expect(group.stats.refused).toBe(1);
    held.open();
    expect([await first, (await Promise.all(waiting)).length]).toEqual([0, MAX_QUEUE]);
  });

  it('fails a batch as a whole during an outage, without retrying its halves', async () => {
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

  it('never returns the result of another item when the commit returns too few', async () => {
    const group = new GroupCommit<number, number>({ name: 'votes', commit: async (items) => items.slice(1) });
    const answers = await Promise.allSettled([group.submit(1), group.submit(2)]);
    expect(answers.map((answer) => answer.status)).toEqual(['rejected', 'rejected']);
  });

  it('is counted after it is closed, together with others of its name', async () => {
    const made = () => new GroupCommit<number, number>({ name: 'counted', commit: async (items) => items });
    const [first, second] = [made(), made()];
    await first.submit(1);
    await first.close();
    await first.close();
    await second.submit(2);
    expect(groupTotals().get('counted')).toMatchObject({ batches: 2, items: 2 });
    await second.close();
    expect(groupTotals().get('counted')).toMatchObject({ batches: 2, items: 2 });
  });

  it('commits accepted items when it closes, and refuses others', async () => {
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

  it('resolves every item once, in submission order, for any times of arrival and any failures', async () => {
    const arrivals = fc.array(fc.record({ pause: fc.integer({ min: 0, max: 3 }), fails: fc.boolean() }), {
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
            if (items.some((item) => plan[item]!.fails)) throw new Error('refused');
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
          if (plan[item]!.fails) expect(answer.status).toBe('rejected');
          else expect(answer).toEqual({ status: 'fulfilled', value: item * 2 });
        });
        expect(committed).toEqual(plan.flatMap(({ fails }, item) => (fails ? [] : [item])));
      }),
      { numRuns: 60 },
    );
  });
});
