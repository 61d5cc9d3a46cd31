import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../../../sdk/src/problem.js';
import { useTexts } from '../components/context.js';

type Loaded<Data> = {
  data?: Data;
  failure?: string;
  reload: () => void;
  /** what to show while there is no data */
  wait: VNode;
};

/** Loads now, and again on `reload`. */
export function useLoaded<Data>(load: () => Promise<Data>): Loaded<Data> {
  const texts = useTexts();
  const [state, setState] = useState<{ data?: Data; failure?: string }>({});
  const reload = (): void => {
    load().then(
      (data) => setState({ data }),
      (error: unknown) => setState({ failure: error instanceof ApiError ? error.problem.detail : texts.offline }),
    );
  };
  useEffect(reload, []);
  const { failure } = state;
  const wait = failure === undefined ? <p role="status">…</p> : <p role="alert">{failure}</p>;
  return { ...state, reload, wait };
}

const RELOAD_MS = 3_000;
const PAUSE_GROWTH = 1.2;
/** in 24 minutes */
const MAX_RELOADS = 25;

/**
 * Loads again while the server still works on the data: ever less often while `progress` stays the same, and then no more, because a
 * task may have failed for ever.
 */
export function useReload(reload: () => void, isWaiting: boolean, progress = ''): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const wait = (count: number): void => {
      if (count === MAX_RELOADS) return;
      timer = setTimeout(
        () => {
          reload();
          wait(count + 1);
        },
        RELOAD_MS * PAUSE_GROWTH ** count,
      );
    };
    if (isWaiting) wait(0);
    return () => clearTimeout(timer);
  }, [isWaiting, progress]);
}
