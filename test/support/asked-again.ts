import { until } from './spawned-host.js';

/** What a client does with 503: a search that had no processor for its 250 ms, or a write that waited for too long, is sent again. */
export async function askedAgain<T>(ask: () => Promise<T>, isBusy: (answer: T | Error) => boolean): Promise<T> {
  return until(async () => {
    const answer = await ask().catch((error: unknown) => error as Error);
    if (isBusy(answer)) return null;
    if (answer instanceof Error) throw answer;
    return answer;
  }, 30_000);
}
