import { setTimeout as sleep } from 'node:timers/promises';
import { BatchLoader } from './batch-loader.js';

type Options = { fails?: () => boolean; readMs?: number };

/** Resolves every key except `missing` to capitals, after a delay, and records each batch. */
function recorded({ readMs = 5, fails }: Options = {}) {
  const batches: string[][] = [];
  let inFlight = 0;
  let mostInFlight = 0;
  const group = new BatchLoader<string>({
    read: async (keys) => {
      batches.push(keys);
      mostInFlight = Math.max(mostInFlight, ++inFlight);
      await sleep(readMs);
      inFlight--;
      if (fails?.()) throw new Error('no database');
      return new Map(keys.filter((key) => key !== 'missing').map((key) => [key, key.toUpperCase()]));
    },
  });
  return { group, batches, mostInFlight: () => mostInFlight };
}

describe('BatchLoader', () => {
  it('batches the keys requested during a read, and gives each caller its own value', async () => {
    // The delay lets the second batch start before the first returns, even on a busy machine.
    const { group, batches, mostInFlight } = recorded({ readMs: 200 });
    const keys = Array.from({ length: 250 }, (_, index) => `k${index}`);
    const answers = await Promise.all(keys.map((key) => group.get(key)));
    expect(answers).toEqual(keys.map((key) => key.toUpperCase()));
    expect(batches.map((batch) => batch.length)).toEqual([100, 100, 50]);
    expect(mostInFlight()).toBe(2);
  });

  it('reads a key once for all callers of a batch, and again for a call after the batch was sent', async () => {
    const { group, batches } = recorded();
    const both = [group.get('a'), group.get('a')];
    await sleep(2);
    const later = group.get('a');
    expect(await Promise.all([...both, later])).toEqual(['A', 'A', 'A']);
    expect(batches).toEqual([['a'], ['a']]);
  });

  it('distinguishes a key without a value from one with a value', async () => {
    const { group } = recorded();
    expect(await Promise.all([group.get('missing'), group.get('b')])).toEqual([undefined, 'B']);
  });

  it('fails a batch for its own callers, and continues', async () => {
    let isDown = true;
    const { group } = recorded({ fails: () => isDown });
    const failed = await Promise.allSettled([group.get('a'), group.get('b')]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    isDown = false;
    expect(await group.get('a')).toBe('A');
  });
});
