import { useRef, useState } from 'preact/hooks';
import type { Problem } from '../../../sdk/src/problem.js';
import { useTexts } from '../components/context.js';
import type { Texts } from '../texts/en.js';

export type Result<Data> = { data?: Data; error?: unknown; response: Response };
export type Failure = { text: string; fields: Record<string, string> };

/** Runs one request at a time, so that a second click sends nothing, and has the failure of the last one. */
export function useAction() {
  const texts = useTexts();
  const isRunning = useRef(false);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  /**
   * @param handle shows a problem in another way, and returns whether it did
   * @returns the failure, undefined if there is none
   */
  const run = async <Data>(
    send: () => Promise<Result<Data>>,
    done: (data: Data | undefined) => void,
    handle?: (problem: Problem) => boolean,
  ): Promise<Failure | undefined> => {
    if (isRunning.current) return undefined;
    isRunning.current = true;
    setBusy(true);
    setFailure(undefined);
    let now: Failure | undefined;
    try {
      const { data, error, response } = await send();
      if (response.ok) done(data);
      else if (handle?.(error as Problem) !== true) now = failureOf(error as Problem, response, texts);
    } catch {
      now = { text: texts.offline, fields: {} };
    }
    setFailure(now);
    setBusy(false);
    isRunning.current = false;
    return now;
  };
  return { run, isBusy, failure };
}

export function failureOf(problem: Problem, response: Response, texts: Texts): Failure {
  const fields = Object.fromEntries((problem.errors ?? []).map(({ field, message }) => [field, message]));
  const seconds = Number(response.headers.get('retry-after'));
  const wait = seconds > 0 ? ` ${texts.tryAgainIn(seconds)}` : '';
  const reason = problem.ban === undefined ? '' : ` ${problem.ban.reason}`;
  return { text: `${problem.detail}${reason}${wait}`, fields };
}
