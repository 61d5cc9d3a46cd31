import { useRef, useState } from 'preact/hooks';
import type { Problem } from '../../../sdk/src/problem.js';
import { failureOf, type Result } from '../account/use-action.js';
import { useTexts } from '../components/context.js';
import { showFailure } from './toast.js';

type Change<State> = <Data>(
  expected: Partial<State>,
  send: () => Promise<Result<Data>>,
  confirmed?: (data: Data) => Partial<State>,
) => Promise<void>;

/** A state that changes before the server confirms it. A failure restores the confirmed state, and is shown. One request at a time. */
export function useOptimistic<State extends object>(first: State): [State, Change<State>] {
  const texts = useTexts();
  const [state, setState] = useState(first);
  const confirmedState = useRef(first);
  const waiting = useRef<Partial<State>[]>([]);
  const previous = useRef<Promise<void>>(Promise.resolve());
  const show = (): void =>
    setState(waiting.current.reduce<State>((state, one) => ({ ...state, ...one }), confirmedState.current));
  const change: Change<State> = (expected, send, confirmed) => {
    waiting.current.push(expected);
    show();
    const fail = (text: string): void => showFailure(text, texts.viewer.close);
    const run = async (): Promise<void> => {
      try {
        const { data, error, response } = await send();
        if (!response.ok) {
          const problem = error as Problem;
          fail(texts.viewer.failed(failureOf(problem, response, texts).text, problem.requestId));
        } else confirmedState.current = { ...confirmedState.current, ...expected, ...confirmed?.(data!) };
      } catch {
        fail(texts.viewer.offline);
      }
      waiting.current.shift();
      show();
    };
    return (previous.current = previous.current.then(run));
  };
  return [state, change];
}
