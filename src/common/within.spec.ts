import { setTimeout as sleep } from 'node:timers/promises';
import { within } from './within.js';

describe('within', () => {
  it('gives what the work resolves to, and what it rejects with', async () => {
    expect(await within(60_000, Promise.resolve(1))).toBe(1);
    await expect(within(60_000, Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });

  it('gives undefined for work that takes longer, which goes on', async () => {
    let isDone = false;
    const work = sleep(100).then(() => (isDone = true));
    expect(await within(10, work)).toBeUndefined();
    expect(isDone).toBe(false);
    await work;
    expect(isDone).toBe(true);
  });

  it('does not let a rejection of late work go unhandled', async () => {
    const late = sleep(20).then(() => Promise.reject(new Error('late')));
    expect(await within(0, late)).toBeUndefined();
    await sleep(40);
  });
});
