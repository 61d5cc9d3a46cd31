import { CodedError } from './errors.js';
import { GroupCommit } from './group-commit.js';
import { hostClock } from './host-clock.js';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

describe('GroupCommit lets another process commit', () => {
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

  it('and commits everything itself when it cannot read what that one answered', async () => {
    const group = new GroupCommit<number, number>({
      name: 'test',
      delegate: async () => {
        throw new TypeError('the packed result has another shape');
      },
      commit: async (items) => items.map((item) => -item),
    });
    expect(await Promise.all([1, 2, 3].map((item) => group.submit(item)))).toEqual([-1, -2, -3]);
    expect(await group.submit(4)).toBe(-4);
    expect(group.stats).toMatchObject({ items: 4, delegated: 0 });
  });

  it('and refuses for another what that one has given up by the time it would write', async () => {
    const written: number[][] = [];
    const group = new GroupCommit<number, number>({
      name: 'test',
      commit: async (items, stillWanted) => {
        await pause(30);
        await stillWanted();
        written.push(items);
        return items;
      },
    });
    const now = hostClock();
    const answers = await Promise.allSettled([
      group.submit(1),
      group.submit(2, { until: now + 10 }),
      group.submit(3, { until: now + 10_000 }),
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
        await stillWanted();
        return items;
      },
    });
    const now = hostClock();
    // a third was given up, a third will be before it is read, a third stays
    const answers = await Promise.allSettled(
      Array.from({ length: 300 }, (_, item) => group.submit(item, { until: [now - 1, now + 30, Infinity][item % 3] })),
    );
    for (const [item, { status }] of answers.entries()) expect(status).toBe(item % 3 === 2 ? 'fulfilled' : 'rejected');
    expect(commits).toBeLessThanOrEqual(2);
  });
});
