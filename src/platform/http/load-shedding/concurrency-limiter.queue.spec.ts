import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppConfig } from '../../../config/app-config.js';
import { ENV_SCHEMA } from '../../../config/env.schema.js';
import { ConcurrencyLimiter } from './concurrency-limiter.js';
import { ResponseHeaders } from '../response-headers.js';

const HEADERS = new ResponseHeaders(new AppConfig(ENV_SCHEMA.parse({ AUTH_TOKEN_SECRET: 'x'.repeat(40) })));
const limiterOf = (): ConcurrencyLimiter =>
  new ConcurrencyLimiter(
    { maxInFlight: 1_000, maxWaitMs: 60_000, maxEventLoopDelayMs: 60_000, bodyLimitBytes: 1_000_000 },
    HEADERS,
  );

describe('reads that wait in the queue of the limiter', () => {
  const ON_TIME = 20;
  const LATE = 60;
  let begun: ServerResponse[];
  beforeEach(() => (begun = []));

  const response = (): ServerResponse => Object.assign(new EventEmitter(), { writableEnded: false }) as ServerResponse;
  const some = (count: number): ServerResponse[] => Array.from({ length: count }, response);
  function admitRead(
    limiter: ConcurrencyLimiter,
    of: ServerResponse,
    work: () => void = () => begun.push(of),
    serveStaleOnError = () => false,
  ): { destroyed: boolean } {
    const socket = { destroyed: false };
    const request = { method: 'GET', url: '/', socket } as IncomingMessage;
    limiter.handle(request, of, work, { bypassesLimit: false, serveStaleOnError });
    return socket;
  }
  const end = (of: ServerResponse): void => {
    Object.assign(of, { writableEnded: true });
    of.emit('close');
  };
  const sample = (limiter: ConcurrencyLimiter, elapsedMs: number, times: number): void => {
    for (let turn = 0; turn < times; turn++) limiter.sample(elapsedMs);
  };
  /** Waits several event loop iterations, because a busy machine may need them. */
  const untilBegun = async (count: number): Promise<void> => {
    for (let turn = 0; begun.length < count && turn < 40; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  /** Starts as many reads as the limiter runs while the event loop is late. */
  const untilFull = async (limiter: ConcurrencyLimiter): Promise<ServerResponse[]> => {
    sample(limiter, LATE, 50);
    const reads = some(16);
    reads.forEach((each) => admitRead(limiter, each));
    await untilBegun(16);
    return reads;
  };

  it('start in order, at least 16 at a time while the event loop is late, and each end starts the next', async () => {
    const limiter = limiterOf();
    sample(limiter, LATE, 50);
    const reads = some(30);
    reads.forEach((each) => admitRead(limiter, each));
    await untilBegun(16);
    expect(begun).toEqual(reads.slice(0, 16));
    expect(limiter.waiting).toBe(14);
    end(reads[1]!);
    end(reads[1]!);
    await untilBegun(17);
    expect(begun).toEqual(reads.slice(0, 17));
  });

  it('are all started within half a second when they wait for the database and not for the CPU', async () => {
    const limiter = limiterOf();
    sample(limiter, LATE, 50);
    some(900).forEach((each) => admitRead(limiter, each));
    sample(limiter, ON_TIME, 25);
    await untilBegun(900);
    expect([begun.length, limiter.waiting]).toEqual([900, 0]);
  });

  it('yield the event loop after ten milliseconds, also when they complete immediately', async () => {
    const limiter = limiterOf();
    const perTurn: number[] = [];
    some(20).forEach((each) =>
      admitRead(limiter, each, () => {
        begun.push(each);
        const until = performance.now() + 3;
        while (performance.now() < until);
        end(each);
      }),
    );
    for (let turn = 0; begun.length < 20 && turn < 40; turn++) {
      const before = begun.length;
      await new Promise((resolve) => setImmediate(resolve));
      perTurn.push(begun.length - before);
    }
    expect(begun).toHaveLength(20);
    // 10 ms suffice for three or four reads of 3 ms.
    expect(Math.max(...perTurn)).toBeLessThan(8);
    expect(limiter.inFlight).toBe(0);
  });

  it('get the stale response after a second behind reads that hang, and keep waiting without one', async () => {
    const limiter = limiterOf();
    const hanging = await untilFull(limiter);
    const [cold, hot] = some(2) as [ServerResponse, ServerResponse];
    let staleResponses = 0;
    admitRead(limiter, cold);
    admitRead(limiter, hot, undefined, () => ++staleResponses > 0);
    limiter.sample(LATE);
    expect(staleResponses).toBe(0);
    await sleep(1_050);
    sample(limiter, LATE, 3);
    expect([staleResponses, limiter.waiting]).toEqual([1, 1]);
    hanging.forEach(end);
    await untilBegun(17);
    expect(begun).toEqual([...hanging, cold]);
  });

  it('are never started for a client that left', async () => {
    const limiter = limiterOf();
    const first = await untilFull(limiter);
    const [gone, last] = some(2) as [ServerResponse, ServerResponse];
    const socket = admitRead(limiter, gone);
    admitRead(limiter, last);
    socket.destroyed = true;
    limiter.sample(ON_TIME);
    end(first[0]!);
    await untilBegun(17);
    expect(begun).toEqual([...first, last]);
  });
});
