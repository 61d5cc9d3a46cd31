import { jest } from '@jest/globals';
import { ClientDisconnected } from './client-disconnected.js';
import { GroupCommit } from './group-commit.js';

/** A group whose commit records its reads and writes, and calls `betweenReadAndWrite` between the two. */
function observed(betweenReadAndWrite: () => void = () => undefined) {
  const read: number[][] = [];
  const written: number[][] = [];
  const group = new GroupCommit<number, number>({
    name: 'test',
    commit: async (items, checkDeadline) => {
      const reading = async (): Promise<void> => void read.push(items);
      await checkDeadline(reading().then(betweenReadAndWrite));
      written.push(items);
      return items;
    },
  });
  return { group, read, written };
}

describe('GroupCommit drops an item whose client has disconnected', () => {
  it('before the batch reads, and resolves the others', async () => {
    const { group, read, written } = observed();
    const answers = await Promise.allSettled(
      [1, 2, 3].map((item) => group.submit(item, { isDisconnected: () => item === 2 })),
    );
    expect(answers).toEqual([
      { status: 'fulfilled', value: 1 },
      { status: 'rejected', reason: expect.any(ClientDisconnected) },
      { status: 'fulfilled', value: 3 },
    ]);
    expect([read, written]).toEqual([[[1, 3]], [[1, 3]]]);
    expect(group.stats).toMatchObject({ batches: 1, items: 2, gone: 1, split: 0 });
  });

  it('without a commit when all clients have disconnected', async () => {
    const { group, read } = observed();
    await expect(group.submit(1, { isDisconnected: () => true })).rejects.toThrow(ClientDisconnected);
    expect(read).toEqual([]);
  });

  it('after the batch has read and before it writes: the batch runs again without the item', async () => {
    let hasLeft = false;
    const { group, read, written } = observed(() => (hasLeft = true));
    const answers = await Promise.allSettled(
      [1, 2, 3].map((item) => group.submit(item, { isDisconnected: () => hasLeft && item === 2 })),
    );
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect([read, written]).toEqual([
      [
        [1, 2, 3],
        [1, 3],
      ],
      [[1, 3]],
    ]);
  });

  it('when the client disconnects in the turn of the event loop in which the batch has read', async () => {
    let hasLeft = false;
    const { group, written } = observed(() => setImmediate(() => (hasLeft = true)));
    await expect(group.submit(1, { isDisconnected: () => hasLeft })).rejects.toThrow(ClientDisconnected);
    expect(written).toEqual([]);
  });

  it('after it has asked each origin of its items once which clients have disconnected', async () => {
    let hasLeft = false;
    let asked = 0;
    const confirmPending = async (): Promise<void> => {
      asked++;
      await new Promise((resolve) => setTimeout(resolve, 5));
      hasLeft = true;
    };
    const { group, written } = observed();
    const answers = await Promise.allSettled(
      [1, 2, 3].map((item) => group.submit(item, { isDisconnected: () => hasLeft && item === 2, confirmPending })),
    );
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(written).toEqual([[1, 3]]);
    // One call for the batch, one for the remaining items.
    expect(asked).toBe(2);
  });

  it('and refuses an item with 503 that has waited for more than eight seconds', async () => {
    const { group, written } = observed();
    const begun = performance.now();
    const clock = jest.spyOn(performance, 'now');
    try {
      const late = group.submit(1);
      clock.mockReturnValue(begun + 8_100);
      await expect(late).rejects.toMatchObject({ code: 'overloaded', retryAfterSeconds: 1 });
      const inTime = group.submit(2);
      clock.mockReturnValue(begun + 16_000);
      expect(await inTime).toBe(2);
    } finally {
      clock.mockRestore();
    }
    expect(written).toEqual([[2]]);
    expect(group.stats.gone).toBe(0);
  });
});
