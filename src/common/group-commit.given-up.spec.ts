import { jest } from '@jest/globals';
import { ClientDisconnected } from './client-disconnected.js';
import { GroupCommit } from './group-commit.js';

/** A group whose commit records its items. */
function observed() {
  const written: number[][] = [];
  const group = new GroupCommit<number, number>({
    name: 'test',
    commit: async (items) => {
      written.push(items);
      return items;
    },
  });
  return { group, written };
}

describe('GroupCommit drops an item whose client has disconnected', () => {
  it('before the batch starts, and resolves the others', async () => {
    const { group, written } = observed();
    const answers = await Promise.allSettled(
      [1, 2, 3].map((item) => group.submit(item, { isDisconnected: () => item === 2 })),
    );
    expect(answers).toEqual([
      { status: 'fulfilled', value: 1 },
      { status: 'rejected', reason: expect.any(ClientDisconnected) },
      { status: 'fulfilled', value: 3 },
    ]);
    expect(written).toEqual([[1, 3]]);
    expect(group.stats).toMatchObject({ batches: 1, items: 2, gone: 1, split: 0 });
  });

  it('without a commit when all clients have disconnected', async () => {
    const { group, written } = observed();
    await expect(group.submit(1, { isDisconnected: () => true })).rejects.toThrow(ClientDisconnected);
    expect(written).toEqual([]);
  });

  it('when Node reads the end of the connection in the poll after the request', async () => {
    let hasLeft = false;
    const { group, written } = observed();
    setImmediate(() => setImmediate(() => (hasLeft = true)));
    const answer = group.submit(1, { isDisconnected: () => hasLeft });
    await expect(answer).rejects.toThrow(ClientDisconnected);
    expect(written).toEqual([]);
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

  it('and counts the time that an item has waited elsewhere', async () => {
    const { group, written } = observed();
    await expect(group.submit(1, { waitedMs: 8_001 })).rejects.toMatchObject({ code: 'overloaded' });
    expect(await group.submit(2, { waitedMs: 1_000 })).toBe(2);
    expect(written).toEqual([[2]]);
  });
});
