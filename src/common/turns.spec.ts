import { Turns } from './turns.js';

describe('Turns', () => {
  it('admits up to the limit, then in order as others end, and refuses calls beyond the queue', async () => {
    const turns = new Turns({ running: 2, waiting: 2, waitMs: 60_000 });
    const order: string[] = [];
    const enter = (name: string) => turns.begin().then((isIn) => void order.push(isIn ? name : `${name} refused`));
    const calls = ['a', 'b', 'c', 'd', 'e'].map(enter);
    await Promise.all([calls[0], calls[1], calls[4]]);
    expect(order).toEqual(['a', 'b', 'e refused']);
    expect(turns.waiting).toBe(2);
    turns.end();
    await calls[2];
    turns.end();
    await calls[3];
    expect(order.slice(3)).toEqual(['c', 'd']);
    turns.end();
    turns.end();
    await expect(turns.begin()).resolves.toBe(true);
  });

  it('refuses a call that has waited too long, and gives its slot to the next one', async () => {
    const turns = new Turns({ running: 1, waiting: 5, waitMs: 20 });
    await turns.begin();
    await expect(turns.begin()).resolves.toBe(false);
    expect(turns.waiting).toBe(0);
    turns.end();
    await expect(turns.begin()).resolves.toBe(true);
  });
});
