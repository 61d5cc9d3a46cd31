import { GroupCommit } from './group-commit.js';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Of five attempts, or as many as it takes to stay below the bound: other load of the machine makes any wait longer. */
async function shortestMs(
  boundMs: number,
  timed: () => Promise<unknown>,
  before: () => Promise<unknown> = turn,
): Promise<number> {
  let shortest = Infinity;
  for (let attempt = 0; attempt < 5 || (attempt < 50 && shortest >= boundMs); attempt++) {
    await before();
    const startedAt = performance.now();
    await timed();
    shortest = Math.min(shortest, performance.now() - startedAt);
  }
  return shortest;
}

describe('GroupCommit waits for callers that were answered together', () => {
  /** @param commitMs what a commit takes */
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

  it('so that they share the next commit again', async () => {
    let shared = 0;
    for (let attempt = 0; attempt < 10 && shared < 5; attempt++) {
      const { sizes, clients } = gathering(40);
      await clients(40, 10, (client) => (client % 2 === 0 ? 0 : 4));
      shared = sizes.filter((size) => size === 40).length;
    }
    // without the wait, the quickest would form a batch of their own, and two batches would go on alternating
    expect(shared).toBeGreaterThanOrEqual(5);
  });

  it('at most as long as a commit takes, and at most 8 ms', async () => {
    for (const [commitMs, limitMs] of [
      [40, 8],
      [2, 2],
    ] as const) {
      const { group, clients } = gathering(commitMs);
      // with what a timer of this machine adds to both waits
      const boundMs = commitMs + limitMs + 8;
      const shortest = await shortestMs(
        boundMs,
        () => group.submit(1),
        () => clients(40, 1, () => 0),
      );
      expect(shortest).toBeLessThan(boundMs);
      if (limitMs === 8) expect(shortest).toBeGreaterThan(commitMs + limitMs - 2);
    }
  });

  it('only where there were many of them', async () => {
    const { group, clients } = gathering(40);
    const shortest = await shortestMs(
      46,
      () => group.submit(1),
      () => clients(7, 1, () => 0),
    );
    expect(shortest).toBeLessThan(46);
  });

  it('for at most as many as fit into a batch, and not when it closes', async () => {
    const { group, sizes } = gathering(20, 10);
    // three commits of 20 ms; waiting for 30 would be 8 ms more for each but the first
    const boundMs = 60 + 14;
    const shortest = await shortestMs(boundMs, () =>
      Promise.all(Array.from({ length: 30 }, (_, item) => group.submit(item))),
    );
    expect(new Set(sizes)).toEqual(new Set([10]));
    expect(shortest).toBeLessThan(boundMs);
    const last = group.submit(1);
    await turn();
    await turn();
    await group.close();
    expect(await last).toBe(1);
  });
});
