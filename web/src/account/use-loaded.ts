import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../../../sdk/src/problem.js';
import { useTexts } from '../components/context.js';

/** Loads now, and again on `reload`. */
export function useLoaded<Data>(load: () => Promise<Data>): { data?: Data; failure?: string; reload: () => void } {
  const texts = useTexts();
  const [state, setState] = useState<{ data?: Data; failure?: string }>({});
  const reload = (): void => {
    load().then(
      (data) => setState({ data }),
      (error: unknown) => setState({ failure: error instanceof ApiError ? error.problem.detail : texts.offline }),
    );
  };
  useEffect(reload, []);
  return { ...state, reload };
}

const RELOAD_MS = 3_000;

/** Loads again and again while the server still works on the data. */
export function useReload(reload: () => void, isWaiting: boolean): void {
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(reload, RELOAD_MS);
    return () => clearInterval(timer);
  }, [isWaiting]);
}
