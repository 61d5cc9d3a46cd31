export type Fetch = (request: Request) => Promise<Response>;

export interface Retries {
  /** Maximum number of repeats of a request. */
  retries: number;
  /** Resolves after `ms`. Rejects with the reason of the signal if the signal comes first. */
  sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** A response that requests a longer wait is not retried. */
  maxWaitMs: number;
}

const FIRST_WAIT_MS = 1_000;

/**
 * Repeats a request after 429, or after 409 with `Retry-After`. If a repeat is safe, also after 502, 503, 504 and after a lost response.
 * Waits for `Retry-After`, or for one second, doubled each time, with jitter.
 *
 * @param isSafe the request may reach the server twice
 * @throws the last error of `fetch`
 */
export async function sendWithRetries(
  request: Request,
  fetch: Fetch,
  isSafe: boolean,
  { retries, sleep, maxWaitMs }: Retries,
): Promise<Response> {
  for (let attempt = 0; ; attempt++) {
    const isLast = attempt === retries;
    let waitMs = FIRST_WAIT_MS * 2 ** attempt * (0.5 + Math.random() / 2);
    try {
      const response = await fetch(request.clone());
      const retryAfter = response.headers.get('retry-after');
      // The server does not send a date.
      if (retryAfter !== null && /^\d+$/.test(retryAfter)) waitMs = Number(retryAfter) * 1000;
      if (isLast || waitMs > maxWaitMs || !isForNow(response.status, retryAfter !== null, isSafe)) return response;
      await response.body?.cancel();
    } catch (error) {
      if (isLast || !isSafe || request.signal.aborted) throw error;
    }
    await sleep(waitMs, request.signal);
  }
}

function isForNow(status: number, hasRetryAfter: boolean, isSafe: boolean): boolean {
  if (status === 429) return true;
  if (status === 409) return hasRetryAfter;
  return isSafe && (status === 502 || status === 503 || status === 504);
}

export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
