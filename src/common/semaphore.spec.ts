import { KeyedMutex, Semaphore } from './semaphore.js';
import { setImmediate as tick } from 'node:timers/promises';

describe('Semaphore', () => {
  it('admits up to the limit, then in order as others end, and refuses calls beyond the queue', async () => {
    const semaphore = new Semaphore({ running: 2, waiting: 2, waitMs: 60_000 });
    const order: string[] = [];
    const enter = (name: string) =>
      semaphore.acquire().then((isIn) => void order.push(isIn ? name : `${name} refused`));
    const calls = ['a', 'b', 'c', 'd', 'e'].map(enter);
    await Promise.all([calls[0], calls[1], calls[4]]);
    expect(order).toEqual(['a', 'b', 'e refused']);
    expect(semaphore.waiting).toBe(2);
    semaphore.release();
    await calls[2];
    semaphore.release();
    await calls[3];
    expect(order.slice(3)).toEqual(['c', 'd']);
    semaphore.release();
    semaphore.release();
    await expect(semaphore.acquire()).resolves.toBe(true);
  });

  it('refuses a call that has waited too long, and gives its slot to the next one', async () => {
    const semaphore = new Semaphore({ running: 1, waiting: 5, waitMs: 20 });
    await semaphore.acquire();
    await expect(semaphore.acquire()).resolves.toBe(false);
    expect(semaphore.waiting).toBe(0);
    semaphore.release();
    await expect(semaphore.acquire()).resolves.toBe(true);
  });
});

const refusal = (): Error => new Error('refused');

describe('KeyedMutex', () => {
  it('runs one call per key at a time, in order, also after a failed one; other keys do not wait', async () => {
    const mutex = new KeyedMutex({ waiting: 10, waitMs: 60_000 });
    const log: string[] = [];
    const call = (key: string, name: string, fails = false): Promise<void> =>
      mutex.run(
        key,
        async () => {
          log.push(`${name} begins`);
          await tick();
          log.push(`${name} ends`);
          if (fails) throw new Error(name);
        },
        refusal,
      );
    const calls = await Promise.allSettled([call('a', 'a1'), call('a', 'a2', true), call('a', 'a3'), call('b', 'b1')]);
    expect(calls.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(log.filter((line) => line.startsWith('a'))).toEqual(
      ['a1', 'a2', 'a3'].flatMap((name) => [`${name} begins`, `${name} ends`]),
    );
    expect(log.indexOf('b1 begins')).toBeLessThan(log.indexOf('a1 ends'));
    expect(mutex.size).toBe(0);
  });

  it('refuses calls beyond the queue of their key, and calls that have waited too long', async () => {
    const mutex = new KeyedMutex({ waiting: 1, waitMs: 20 });
    let end = (): void => {};
    const long = mutex.run('a', () => new Promise<void>((resolve) => (end = resolve)), refusal);
    const waits = mutex.run('a', () => Promise.resolve('late'), refusal);
    await expect(mutex.run('a', () => Promise.resolve('one more'), refusal)).rejects.toThrow('refused');
    await expect(waits).rejects.toThrow('refused');
    end();
    await long;
    expect(mutex.size).toBe(0);
    await expect(mutex.run('a', () => Promise.resolve('again'), refusal)).resolves.toBe('again');
  });
});
