import { setTimeout as sleep } from 'node:timers/promises';
import { within } from './within.js';

describe('within', () => {
  it('resolves and rejects as the work does', async () => {
    expect(await within(60_000, Promise.resolve(1))).toBe(1);
    await expect(within(60_000, Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });

  it('returns undefined for work that takes longer, which continues', async () => {
    let finish = (): void => {};
    const work = new Promise<string>((resolve) => (finish = () => resolve('done')));
    expect(await within(10, work)).toBeUndefined();
    finish();
    expect(await work).toBe('done');
  });

  it('handles a late rejection', async () => {
    let fail = (): void => {};
    const late = new Promise<string>((_, reject) => (fail = () => reject(new Error('late'))));
    expect(await within(0, late)).toBeUndefined();
    fail();
    await sleep(40);
  });
});
