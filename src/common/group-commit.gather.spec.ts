import { idle, msOf, useFakeTime } from '../../test/support/fake-time.js';
import { GroupCommit } from './group-commit.js';

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

describe('GroupCommit waits for callers of the previous commit', () => {
  useFakeTime();

  /** @param commitMs the duration of a commit */
  const gathering = (commitMs: number, maxBatch?: number) => {
    const sizes: number[] = [];
    const group = new GroupCommit<number, number>({
      name: 'test',
      maxBatch,
      commit: async (items) => {
        sizes.push(items.length);
        await pause(commitMs);
        return items;
      },
    });
    /** Each client sends again after its response and an individual pause. */
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

  it('so that they share the next commit', async () => {
    const { sizes, clients } = gathering(40);

    await msOf(clients(40, 10, (client) => (client % 2 === 0 ? 0 : 4)));

    // Without the wait, the quickest callers would form their own batch, and two batches would alternate.
    expect(sizes).toEqual(Array.from({ length: 10 }, () => 40));
  });

  it.each([
    ['at most 8 ms', 40, 8],
    ['at most as long as a commit takes', 2, 2],
  ])('%s', async (_, commitMs, limitMs) => {
    const { group, clients } = gathering(commitMs);
    await msOf(clients(40, 1, () => 0));

    expect(await msOf(group.submit(1))).toBe(commitMs + limitMs);
  });

  it('only after a batch of many', async () => {
    const { group, clients } = gathering(40);
    await msOf(clients(7, 1, () => 0));

    expect(await msOf(group.submit(1))).toBe(40);
  });

  it('for at most as many as fit into a batch', async () => {
    const { group, sizes } = gathering(20, 10);

    const ms = await msOf(Promise.all(Array.from({ length: 30 }, (_, item) => group.submit(item))));

    expect(sizes).toEqual([10, 10, 10]);
    // Waiting for 30 callers would add 8 ms to each batch except the first.
    expect(ms).toBe(60);
  });

  it('not when it closes', async () => {
    const { group, clients } = gathering(20);
    await msOf(clients(40, 1, () => 0));
    const last = group.submit(1);
    await idle();

    expect(await msOf(group.close())).toBe(20);
    expect(await last).toBe(1);
  });
});
