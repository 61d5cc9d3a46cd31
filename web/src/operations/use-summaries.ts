import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../../../sdk/src/problem.js';
import type { Schemas } from '../api.js';
import { api, unwrap } from '../client.js';
import { useTexts } from '../components/context.js';
import { PERIOD_MS } from './chart.js';

export type Summary = Schemas['OperationsSummary'];

/** Each request costs about 30 ms of CPU in all processes together. */
const POLL_MS = 10_000;
/** A longer request means that the server is away: the client repeats requests without a response. */
const TIMEOUT_MS = 5_000;

type State = {
  /** of the last minutes, by the id of the host, because behind a balancer each response may be of another */
  hosts: Record<string, Summary[]>;
  failure?: string;
  isForbidden?: boolean;
};

/** Polls while the page is visible: the server computes nothing for people who do not look. */
export function useSummaries(): State {
  const texts = useTexts();
  const [state, setState] = useState<State>({ hosts: {} });
  useEffect(() => {
    const ended = new AbortController();
    const poll = async (): Promise<void> => {
      if (document.hidden) return;
      try {
        const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(TIMEOUT_MS)]);
        const summary = await unwrap(api.GET('/v1/operations/summary', { signal }));
        setState(({ hosts }) => ({ hosts: add(hosts, summary) }));
      } catch (error) {
        if (ended.signal.aborted) return;
        const problem = error instanceof ApiError ? error.problem : undefined;
        const failure = problem?.detail ?? texts.operations.offline;
        setState(({ hosts }) => ({ hosts, failure, isForbidden: problem?.status === 403 }));
        if (problem?.status === 403) ended.abort();
      }
    };
    const repeat = async (): Promise<void> => {
      await poll();
      if (!ended.signal.aborted) setTimeout(() => void repeat(), POLL_MS);
    };
    void repeat();
    return () => ended.abort();
  }, []);
  return state;
}

/** Adds the newest state of a host, and forgets old ones and hosts that have ended. */
function add(hosts: State['hosts'], summary: Summary): State['hosts'] {
  const since = Date.parse(summary.at) - PERIOD_MS;
  const live = [summary.host, ...summary.otherHosts].map(({ id }) => id);
  const kept = Object.entries(hosts).filter(([id]) => live.includes(id));
  const earlier = (hosts[summary.host.id] ?? []).filter(({ at }) => Date.parse(at) > since && at !== summary.at);
  return { ...Object.fromEntries(kept), [summary.host.id]: [...earlier, summary] };
}
