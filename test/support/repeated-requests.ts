import { setTimeout as sleep } from 'node:timers/promises';
import type { CodedError } from '../../src/common/errors.js';
import { type Answer, clientOf, type TestClient } from './client.js';

const PATIENCE_MS = 60_000;
const REPEATED = ['overloaded', 'database_unavailable'];

/**
 * Retries after 503, as clients do: for a search without CPU for its 250 ms, or a write that waited too long.
 * @returns the last refusal if there was no other response for `confirmTimeoutMs`
 */
export async function askedAgain<T>(
  ask: () => Promise<T>,
  isBusy: (answer: T | Error) => boolean,
  confirmTimeoutMs = PATIENCE_MS,
): Promise<T> {
  const deadline = performance.now() + confirmTimeoutMs;
  for (;;) {
    const answer = await ask().catch((error: unknown) => error as Error);
    if (!isBusy(answer) || performance.now() > deadline) {
      if (answer instanceof Error) throw answer;
      return answer;
    }
    // Waits about as long as Retry-After, with jitter, so that requests refused together do not return together.
    await sleep(100 + Math.random() * 900);
  }
}

/** Any 503, also of readiness after a missed ping. For specs in which no request should end with 503. */
export const isUnavailable = (answer: Answer | Error): boolean => !(answer instanceof Error) && answer.status === 503;

const isOverloaded = (answer: Answer | Error): boolean =>
  !(answer instanceof Error) && answer.status === 503 && answer.body.code === 'overloaded';

/**
 * Retries a request while the server is overloaded: more than a hundred at a time, a queued password hash, or a write that waits for the
 * disk. The server has done nothing for a refused request.
 */
export async function sentAgain<T>(send: () => Promise<Answer<T>>): Promise<Answer<T>> {
  return askedAgain(send, isOverloaded);
}

/** Retries an idempotent call of a service, also when the database did not confirm the call in ten seconds. */
export async function triedAgain<T>(call: () => Promise<T>): Promise<T> {
  return askedAgain(call, (answer) => answer instanceof Error && REPEATED.includes((answer as CodedError).code));
}

/** Returns a client that retries every request. */
export function patient(client: TestClient): TestClient {
  return clientOf((method, path, options) => sentAgain(() => client.request(method, path, options)));
}
