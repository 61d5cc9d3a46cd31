export type Fetch = (request: Request) => Promise<Response>;

export interface Retries {
  /** how often a request is repeated */
  retries: number;
  /** Resolves after `ms`; rejects with the reason of the signal when that comes first. */
  sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** A server that asks for more is not waited for. */
const MAX_WAIT_MS = 60_000;
const FIRST_WAIT_MS = 1_000;

/**
 * Repeats what the server refused for now (429; 409 and 503 with `Retry-After`), and, where a repeat is safe, what may have been lost on
 * the way. Waits for `Retry-After`, or for one second, doubled each time, with jitter.
 *
 * @param isSafe the request may reach the server twice
 * @throws what `fetch` throws the last time
 */
export async function sendWithRetries(
  request: Request,
  fetch: Fetch,
  isSafe: boolean,
  { retries, sleep }: Retries,
): Promise<Response> {
  for (let attempt = 0; ; attempt++) {
    const isLast = attempt === retries;
    let waitMs = FIRST_WAIT_MS * 2 ** attempt * (0.5 + Math.random() / 2);
    try {
      const response = await fetch(request.clone());
      const retryAfter = response.headers.get('retry-after');
      // a date is not what the server sends
      if (retryAfter !== null && /^\d+$/.test(retryAfter)) waitMs = Number(retryAfter) * 1000;
      if (isLast || waitMs > MAX_WAIT_MS || !isForNow(response.status, retryAfter !== null, isSafe)) return response;
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
