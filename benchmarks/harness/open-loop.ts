import { Agent, request as httpRequest } from 'node:http';
import { findMismatch } from './answer-check.js';
import type { LoadPhase, Measurement, OpenLoopPlan, PreparedRequest } from './load-plan.js';
import { LoadWindow } from './load-window.js';

const CHECK_EVERY = 16;
/** A generator that is behind sends without a pause, but looks at the answers this often: it must not be what stalls. */
const LONGEST_TURN_MS = 2;

/**
 * Sends at a rate of its own, whether or not the server keeps up, and counts every latency from the moment the request *should*
 * have left: a server that stalls for a second is charged for all that was due in that second (no coordinated omission).
 */
export async function runOpenLoop(plan: OpenLoopPlan, onTick: (requests: number) => void): Promise<Measurement[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: plan.maxSockets, scheduling: 'fifo' });
  const target = new URL(plan.url);
  const measurements: Measurement[] = [];
  const pending = new Set<Promise<void>>();
  let sent = 0;

  for (const phase of plan.phases) {
    const window = phase.isTimed ? new LoadWindow(phase.name, plan) : null;
    const phasePending = new Set<Promise<void>>();
    const startedAt = performance.now();
    const total = Math.round(requestsUpTo(phase, phase.seconds));
    let ticked = startedAt;
    let lookedAt = startedAt;
    for (let index = 0; index < total; index++) {
      const dueAt = startedAt + secondsOfRequest(phase, index) * 1000;
      if (performance.now() < dueAt) {
        await sleepUntil(dueAt);
        lookedAt = performance.now();
      } else if (performance.now() - lookedAt > LONGEST_TURN_MS) {
        await new Promise((resolve) => setImmediate(resolve));
        lookedAt = performance.now();
      }
      if (window) window.maxSendLagMs = Math.max(window.maxSendLagMs, performance.now() - dueAt);
      const exchange = send(agent, target, plan, plan.requests[sent++ % plan.requests.length]!, dueAt, sent, window);
      phasePending.add(exchange);
      void exchange.finally(() => phasePending.delete(exchange));
      if (performance.now() - ticked > 500) {
        ticked = performance.now();
        onTick(sent);
      }
    }
    await sleepUntil(startedAt + phase.seconds * 1000);
    if (window) {
      // the phase is judged when all that it sent is answered or given up
      await Promise.all(phasePending);
      measurements.push(window.finish());
    } else for (const exchange of phasePending) pending.add(exchange);
  }
  await Promise.all(pending);
  agent.destroy();
  return measurements;
}

/** How many requests are due in the first `seconds` of the phase: the area under a straight line. */
export function requestsUpTo(phase: LoadPhase, seconds: number): number {
  const slope = (phase.toPerSecond - phase.fromPerSecond) / phase.seconds;
  return phase.fromPerSecond * seconds + (slope * seconds * seconds) / 2;
}

/** When request number `index` of the phase is due, in seconds from its start: the inverse of `requestsUpTo`. */
export function secondsOfRequest(phase: LoadPhase, index: number): number {
  const slope = (phase.toPerSecond - phase.fromPerSecond) / phase.seconds;
  if (Math.abs(slope) < 1e-9) return index / phase.fromPerSecond;
  const rate = phase.fromPerSecond;
  return (Math.sqrt(rate * rate + 2 * slope * index) - rate) / slope;
}

function send(
  agent: Agent,
  target: URL,
  plan: OpenLoopPlan,
  prepared: PreparedRequest,
  dueAt: number,
  number: number,
  window: LoadWindow | null,
): Promise<void> {
  return new Promise((resolve) => {
    const headers = {
      ...prepared.headers,
      ...(prepared.body ? { 'content-length': Buffer.byteLength(prepared.body) } : {}),
    };
    const { hostname, port } = target;
    const request = httpRequest({ agent, hostname, port, method: prepared.method, path: prepared.path, headers });
    let isTimedOut = false;
    // from the intended time, like the latency
    const timer = setTimeout(() => {
      isTimedOut = true;
      request.destroy(new Error('request timed out'));
    }, plan.timeoutSeconds * 1000);
    const settle = () => {
      clearTimeout(timer);
      resolve();
    };
    request.once('error', (error) => {
      window?.failed(`${prepared.method} ${prepared.path}: ${error.message}`, isTimedOut);
      settle();
    });
    request.once('response', (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (number % CHECK_EVERY === 0) chunks.push(chunk);
      });
      response.once('error', () => settle());
      response.once('end', () => {
        const status = response.statusCode ?? 0;
        window?.answered(status, new Set([prepared.expect.status]), performance.now() - dueAt, bytes);
        if (window && number % CHECK_EVERY === 0 && status === prepared.expect.status) {
          window.checkedBodies++;
          const mismatch = findMismatch(prepared.expect, status, Buffer.concat(chunks));
          if (mismatch) window.mismatched(`${prepared.method} ${prepared.path}: ${mismatch}`);
        }
        settle();
      });
    });
    request.end(prepared.body);
  });
}

/** setTimeout is late by up to a millisecond: it takes the long stretch, setImmediate the last one (a spin, so no more than that). */
async function sleepUntil(time: number): Promise<void> {
  for (let left = time - performance.now(); left > 0; left = time - performance.now()) {
    if (left > 2) await new Promise((resolve) => setTimeout(resolve, Math.floor(left - 1)));
    else await new Promise((resolve) => setImmediate(resolve));
  }
}
