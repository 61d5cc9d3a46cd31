import { Alarm } from './alarm.js';
import { findMismatch } from './response-check.js';
import type { LoadPhase, Measurement, OpenLoopPlan, PreparedRequest } from './load-plan.js';
import { LoadWindow } from './load-window.js';
import { requestBytes, SocketPool, type Outcome } from './socket-pool.js';

const CHECK_EVERY = 16;
/** A late generator sends without a pause, but reads responses this often to avoid becoming the bottleneck. */
const LONGEST_TURN_MS = 2;
/** Sends requests due within this time together. Above 1,000 a second, waking for each request costs more than sending it. */
const SHORTEST_SLEEP_MS = 1;

/**
 * Sends at its own rate, independent of responses, and counts every latency from the moment the request *should* have been sent. A
 * server that stalls for a second is charged for all requests due in that second (no coordinated omission).
 */
export async function runOpenLoop(plan: OpenLoopPlan, onTick: (requests: number) => void): Promise<Measurement[]> {
  const { hostname, port } = new URL(plan.url);
  const pool = new SocketPool(hostname, Number(port || 80), plan.maxSockets);
  const alarm = new Alarm();
  let sent = 0;
  const ticker = setInterval(() => onTick(sent), 500);
  // Builds the requests before the time runs.
  const wire = plan.requests.map((prepared) => requestBytes(plan.url, prepared));
  const measurements: Measurement[] = [];

  const sendOne = (dueAt: number, window: LoadWindow | null, settle: () => void) => {
    if (window) window.maxSendLagMs = Math.max(window.maxSendLagMs, performance.now() - dueAt);
    const at = sent++ % plan.requests.length;
    pool.send({
      bytes: wire[at]!,
      deadline: dueAt + plan.timeoutSeconds * 1000,
      keepsBody: window !== null && sent % CHECK_EVERY === 0,
      done: (outcome) => {
        if (window) count(window, plan.requests[at]!, outcome, performance.now() - dueAt);
        settle();
      },
    });
  };

  const untimed: Promise<void>[] = [];
  for (const phase of plan.phases) {
    const window = phase.isTimed ? new LoadWindow(phase.name, plan) : null;
    const outstanding = new Outstanding();
    await followTimetable(alarm, phase, (dueAt) => sendOne(dueAt, window, outstanding.begin()));
    if (!window) untimed.push(outstanding.none());
    else {
      // A phase ends when each of its requests has a response or has timed out.
      await outstanding.none();
      measurements.push(window.finish());
    }
  }
  await Promise.all(untimed);
  clearInterval(ticker);
  pool.close();
  await alarm.stop();
  return measurements;
}

/** Number of requests due in the first `seconds` of the phase: the area under a straight line. */
export function requestsUpTo(phase: LoadPhase, seconds: number): number {
  const slope = (phase.toPerSecond - phase.fromPerSecond) / phase.seconds;
  return phase.fromPerSecond * seconds + (slope * seconds * seconds) / 2;
}

/** Due time of request number `index` of the phase, in seconds from its start: the inverse of `requestsUpTo`. */
export function secondsOfRequest(phase: LoadPhase, index: number): number {
  const slope = (phase.toPerSecond - phase.fromPerSecond) / phase.seconds;
  if (Math.abs(slope) < 1e-9) return index / phase.fromPerSecond;
  const rate = phase.fromPerSecond;
  return (Math.sqrt(rate * rate + 2 * slope * index) - rate) / slope;
}

/** Calls `send` for each request of the phase at its time. Resolves when the phase has ended. */
export function followTimetable(alarm: Alarm, phase: LoadPhase, send: (dueAt: number) => void): Promise<void> {
  const startedAt = performance.now();
  const endsAt = startedAt + phase.seconds * 1000;
  const total = Math.round(requestsUpTo(phase, phase.seconds));
  const dueAt = (index: number) => startedAt + secondsOfRequest(phase, index) * 1000;
  const wakeAt: number[] = [];
  for (let index = 0, last = -Infinity; index < total; index++) {
    if (dueAt(index) > last) wakeAt.push((last = Math.max(dueAt(index), last + SHORTEST_SLEEP_MS)));
  }
  let next = 0;
  let until = startedAt;
  let isInTurn = false;
  return new Promise((resolve) => {
    const sendDue = () => {
      isInTurn = false;
      const turnEndsAt = performance.now() + LONGEST_TURN_MS;
      for (; next < total && dueAt(next) <= until; next++) {
        if (performance.now() > turnEndsAt) {
          isInTurn = true;
          setImmediate(sendDue);
          return;
        }
        send(dueAt(next));
      }
      if (next === total && until >= endsAt) resolve();
    };
    alarm.set([...wakeAt, Math.max(endsAt, wakeAt.at(-1) ?? endsAt)], (time) => {
      until = Math.max(time, performance.now());
      if (!isInTurn) sendDue();
    });
  });
}

function count(window: LoadWindow, prepared: PreparedRequest, outcome: Outcome, latencyMs: number): void {
  const name = `${prepared.method} ${prepared.path}`;
  if ('error' in outcome) return window.failed(`${name}: ${outcome.error}`, outcome.isTimeout);
  const { status, bytes, body } = outcome;
  window.answered(status, new Set([prepared.expect.status]), latencyMs, bytes);
  if (body === null || status !== prepared.expect.status) return;
  window.checkedBodies++;
  const mismatch = findMismatch(prepared.expect, status, body);
  if (mismatch) window.mismatched(`${name}: ${mismatch}`);
}

/** Counts requests in flight. */
class Outstanding {
  private count = 0;
  private tell: (() => void) | null = null;

  /** Counts a request. Returns a function to call at its end. */
  begin(): () => void {
    this.count++;
    return this.end;
  }

  /** Resolves when no request is in flight. */
  none(): Promise<void> {
    return new Promise((resolve) => {
      if (this.count === 0) resolve();
      else this.tell = resolve;
    });
  }

  private readonly end = (): void => {
    if (--this.count === 0) this.tell?.();
  };
}
