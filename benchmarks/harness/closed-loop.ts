import autocannon from 'autocannon';
import { findMismatch } from './response-check.js';
import type { ClosedLoopPlan, Measurement, PreparedRequest } from './load-plan.js';
import { LoadWindow } from './load-window.js';

const LOOK_MS = 50;
/** One response in 32 is compared with its body, and every response with its status. */
const CHECK_EVERY = 32;

type Run = EventEmitterLike & { stop(): void; then: Promise<unknown>['then'] };
type EventEmitterLike = { on(event: string, listener: (...values: never[]) => void): unknown };

/**
 * Runs autocannon: each connection sends its next request after the last response. Warm-up and measurement are one uninterrupted load.
 * The window does not close before its first response or failure.
 */
export async function runClosedLoop(plan: ClosedLoopPlan, onTick: (requests: number) => void): Promise<Measurement[]> {
  const expectedStatuses = new Set(plan.lanes.flatMap((lane) => lane.map((request) => request.expect.status)));
  let window: LoadWindow | null = null;
  let warmupRequests = 0;
  const check = (request: PreparedRequest) => (status: number, body: string) => {
    if (!window) return;
    window.checkedBodies++;
    const mismatch = status === request.expect.status ? findMismatch(request.expect, status, body) : null;
    if (mismatch) window.mismatched(`${request.method} ${request.path}: ${mismatch}`);
  };
  const lanes = plan.lanes.map((lane) => toAutocannon(lane, check));
  let nextLane = 0;
  let received = 0;
  const run = autocannon({
    url: plan.url,
    connections: plan.connections,
    pipelining: plan.pipelining,
    // The load never reaches this limit, because the window decides when to stop.
    duration: plan.warmupSeconds + (plan.longWarmup?.maxSeconds ?? 0) + plan.seconds + 3_600,
    timeout: plan.timeoutSeconds,
    sampleInt: 100,
    ...(plan.pipelining > 1 && { requests: lanes[0] }),
    setupClient: (client: autocannon.Client) => {
      // autocannon would deep-copy `requests` for every connection.
      if (plan.pipelining === 1) client.setRequests(lanes[nextLane++ % lanes.length]!);
      // The server ends the connection after this response, when autocannon has already sent the next request.
      client.on('headers', ({ shouldKeepAlive }) => {
        if (!shouldKeepAlive) received += plan.pipelining;
      });
    },
  }) as unknown as Run;
  run.on('response', (_client: never, status: number, bytes: number, latencyMs: number) => {
    received++;
    if (window) window.answered(status, expectedStatuses, latencyMs, bytes);
    else warmupRequests++;
  });
  run.on('reqError', (error: Error) => {
    received++;
    window?.failed(error.message, /timed out/.test(error.message));
  });
  const ended = new Promise<autocannon.Result>((resolve, reject) => void run.then(resolve as never, reject));

  const startedAt = performance.now();
  await sleep(plan.warmupSeconds * 1000);
  for (const { requests, maxSeconds } of plan.longWarmup ? [plan.longWarmup] : []) {
    while (warmupRequests < requests && performance.now() - startedAt < maxSeconds * 1000) await sleep(LOOK_MS);
  }
  const measured = new LoadWindow('', plan, warmupRequests);
  window = measured;
  const ticker = setInterval(() => onTick(measured.latency.size), 500);
  await sleep(plan.seconds * 1000);
  // A stall longer than the window is a slow result, not a missing one.
  const givenUpAt = performance.now() + plan.timeoutSeconds * 1000;
  while (measured.latency.size === 0 && measured.errors === 0 && performance.now() < givenUpAt) await sleep(LOOK_MS);
  const measurement = measured.finish();
  window = null;
  clearInterval(ticker);
  run.stop();
  // autocannon reconnects silently when a connection ends before its response. The last requests are still under way.
  const { sent } = (await ended).requests;
  const lost = sent - received - plan.connections * plan.pipelining;
  if (lost <= 0) return [measurement];
  const unexpectedExample = measurement.unexpectedExample ?? `${lost} answers that never came, warm-up included`;
  return [{ ...measurement, errors: measurement.errors + lost, unexpectedExample }];
}

function toAutocannon(
  lane: PreparedRequest[],
  check: (request: PreparedRequest) => (status: number, body: string) => void,
) {
  // Repeats a short lane, because the generator would be the bottleneck if it checked more than the usual share of responses.
  const repeated = lane.length < CHECK_EVERY ? Array.from({ length: CHECK_EVERY }, () => lane).flat() : lane;
  const lastChecked = repeated.length - CHECK_EVERY;
  return repeated.map((request, index) => ({
    method: request.method,
    path: request.path,
    ...(request.headers ? { headers: request.headers } : {}),
    ...(request.body === undefined ? {} : { body: request.body }),
    ...(index % CHECK_EVERY === 0 && index <= lastChecked ? { onResponse: check(request) } : {}),
  }));
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
