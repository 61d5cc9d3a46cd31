import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { publish, quantile, residentMb, useServed } from '../support/served.js';

const MAX_IN_FLIGHT = 12;
const TIMES_CAPACITY = 5;
const LOAD_MS = 4_000;
const TIMEOUT_MS = 5_000;

type Outcome = { status: number | 'timeout' | 'error'; retryAfter: string | undefined; ms: number };

describe('overload', () => {
  const served = useServed({ HTTP_WORKERS: '1', HTTP_MAX_IN_FLIGHT: String(MAX_IN_FLIGHT) });
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  afterAll(() => agent.destroy());

  function ask(path: string, headers: Record<string, string> = {}, through = agent): Promise<Outcome> {
    const startedAt = performance.now();
    return new Promise((resolve) => {
      const settle = (status: Outcome['status'], retryAfter?: string): void =>
        resolve({ status, retryAfter, ms: performance.now() - startedAt });
      const request = get(served.url + path, { agent: through, headers, timeout: TIMEOUT_MS }, (response) => {
        response.resume().on('end', () => settle(response.statusCode!, response.headers['retry-after']));
        response.on('error', () => settle('error'));
      });
      request.on('timeout', () => {
        settle('timeout');
        request.destroy();
      });
      request.on('error', () => settle('error'));
    });
  }

  it(`at ${TIMES_CAPACITY} times capacity answers 200 or 503 with Retry-After, and hot reads and health go on`, async () => {
    for (let at = 0; at < 60; at++) await publish(served);
    const HOT = '/v1/feed?limit=20';
    // private pages are made for each request
    const cold = (): Promise<Outcome> =>
      ask('/v1/posts/mine?limit=60', { authorization: `Bearer ${served.author.token}` });
    for (let turn = 0; turn < 3; turn++) await ask(HOT);

    let done = 0;
    const until = performance.now() + 2_000;
    const loops = Array.from({ length: 8 }, async () => {
      while (performance.now() < until) if ((await cold()).status === 200) done++;
    });
    await Promise.all(loops);
    const capacity = done / 2;

    const before = residentMb(served.host.pid);
    let peak = before;
    const outcomes: Promise<Outcome>[] = [];
    const probes: { hot: Outcome[]; live: Outcome[] } = { hot: [], live: [] };
    const apart = new Agent({ keepAlive: true });
    const startedAt = performance.now();
    let isOver = false;
    const probing = (async () => {
      while (!isOver) {
        probes.hot.push(await ask(HOT, {}, apart));
        probes.live.push(await ask('/health/live', {}, apart));
        peak = Math.max(peak, residentMb(served.host.pid));
        await sleep(10);
      }
    })();
    // an open loop: what is due is sent, however the answers come
    for (;;) {
      const elapsed = performance.now() - startedAt;
      if (elapsed >= LOAD_MS) break;
      const due = (elapsed / 1_000) * capacity * TIMES_CAPACITY;
      while (outcomes.length < due) outcomes.push(cold());
      await sleep(2);
    }
    const sentMs = performance.now() - startedAt;
    const answers = await Promise.all(outcomes);
    isOver = true;
    await probing;
    apart.destroy();

    const good = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 503);
    const goodput = good.length / (sentMs / 1_000);
    const p99 = (list: Outcome[]): string =>
      quantile(
        list.map(({ ms }) => ms),
        0.99,
      ).toFixed(0);
    console.log(
      `capacity ${capacity.toFixed(0)}/s, asked ${(answers.length / (sentMs / 1_000)).toFixed(0)}/s: goodput ${goodput.toFixed(0)}/s ` +
        `(${((100 * goodput) / capacity).toFixed(0)} %), ${refused.length} refused, p99 served ${p99(good)} ms, refused ${p99(refused)} ms; ` +
        `hot p99 ${p99(probes.hot)} ms, live p99 ${p99(probes.live)} ms; ${before.toFixed(0)} -> ${peak.toFixed(0)} MB`,
    );
    expect(
      [...new Set(answers.map(({ status }) => status))].filter((status) => status !== 200 && status !== 503),
    ).toEqual([]);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.every(({ retryAfter }) => Number(retryAfter) >= 1)).toBe(true);
    expect(good.length).toBeGreaterThan(0);
    for (const { status } of [...probes.hot, ...probes.live]) expect(status).toBe(200);
    // the load generator shares the machine with the server: wide enough to be true on a busy one
    for (const list of [probes.hot, probes.live]) expect(Number(p99(list))).toBeLessThan(1_000);
    expect(peak - before).toBeLessThan(200);
    expect((await cold()).status).toBe(200);
  }, 60_000);
});
