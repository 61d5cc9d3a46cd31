import type { ServerResponse } from 'node:http';
import { ReadQueue } from './read-queue.js';

const some = (count: number): ServerResponse[] => Array.from({ length: count }, () => ({}) as ServerResponse);

describe('ReadQueue', () => {
  let begun: ServerResponse[];
  const enterAll = (queue: ReadQueue, reads: ServerResponse[]): void =>
    reads.forEach((read) => queue.enter(read, () => begun.push(read)));
  const untilBegun = async (count: number): Promise<void> => {
    for (let turn = 0; begun.length < count && turn < 40; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  beforeEach(() => (begun = []));

  it('lets fewer run while the event loop is late, but some, in the order they came, and each that is done lets one in', async () => {
    const queue = new ReadQueue(1_000);
    for (let sample = 0; sample < 50; sample++) queue.adjust(40);
    const reads = some(30);
    enterAll(queue, reads);
    // on a busy machine more than one turn of the event loop
    await untilBegun(16);
    expect(begun).toEqual(reads.slice(0, 16));
    expect(queue.waiting).toBe(14);
    queue.done(reads[1]!);
    queue.done(reads[1]!);
    await untilBegun(17);
    expect(begun).toEqual(reads.slice(0, 17));
  });

  it('lets all run within half a second when it is not the CPU that they wait for', async () => {
    const queue = new ReadQueue(1_000);
    for (let sample = 0; sample < 50; sample++) queue.adjust(40);
    enterAll(queue, some(900));
    for (let sample = 0; sample < 25; sample++) queue.adjust(0);
    // on a busy machine more than one turn of the event loop
    await untilBegun(900);
    expect(begun).toHaveLength(900);
    expect(queue.waiting).toBe(0);
  });

  it('leaves a turn of the event loop to others when reads have worked for long in it, also those that end at once', async () => {
    const queue = new ReadQueue(1_000);
    const perTurn: number[] = [];
    const work = (read: ServerResponse): void => {
      begun.push(read);
      const until = performance.now() + 3;
      while (performance.now() < until);
      queue.done(read);
    };
    some(20).forEach((read) => queue.enter(read, () => work(read)));
    for (let turn = 0; begun.length < 20 && turn < 40; turn++) {
      const before = begun.length;
      await new Promise((resolve) => setImmediate(resolve));
      perTurn.push(begun.length - before);
    }
    expect(begun).toHaveLength(20);
    // 10 ms are three or four of 3 ms
    expect(Math.max(...perTurn)).toBeLessThan(8);
    expect(queue.waiting).toBe(0);
  });

  it('bridges who waits for longer than a second behind reads that hang, begins nothing for them, and keeps who cannot be bridged', async () => {
    const queue = new ReadQueue(1);
    const [hanging, hot, cold] = some(3) as [ServerResponse, ServerResponse, ServerResponse];
    let bridged = 0;
    enterAll(queue, [hanging, cold]);
    queue.enter(
      hot,
      () => begun.push(hot),
      () => ++bridged > 0,
    );
    queue.adjust(40);
    expect(bridged).toBe(0);
    await new Promise((resolve) => setTimeout(resolve, 1_050));
    for (let sample = 0; sample < 3; sample++) queue.adjust(40);
    expect([bridged, queue.waiting]).toEqual([1, 1]);
    queue.done(hanging);
    queue.done(cold);
    expect(begun).toEqual([hanging, cold]);
  });

  it('begins nothing for a client that left while it waited', () => {
    const queue = new ReadQueue(1);
    const [first, gone, last] = some(3) as [ServerResponse, ServerResponse, ServerResponse];
    enterAll(queue, [first, gone, last]);
    expect(queue.drop(gone)).toBe(true);
    queue.done(first);
    expect(begun).toEqual([first, last]);
    expect(queue.drop(last)).toBe(false);
  });
});
