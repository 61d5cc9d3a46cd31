import { useEffect } from 'preact/hooks';
import type { Result } from '../account/use-action.js';
import { useTexts } from '../components/context.js';
import { compact } from '../components/time.js';
import { useOptimistic } from './use-optimistic.js';
import type { Schemas } from '../api.js';

type Vote = Schemas['Vote'];

type ToggleProps = {
  isOn: boolean;
  /** of the button while it is off, and while it is on */
  labels: [off: string, on: string];
  send: (isOn: boolean) => Promise<Result<unknown>>;
  changed?: (isOn: boolean) => void;
};

/** A button that turns a state of the reader on and off. */
export function Toggle({ isOn: first, labels: [off, on], send, changed }: ToggleProps) {
  const [{ isOn }, change] = useOptimistic({ isOn: first });
  useEffect(() => changed?.(isOn), [isOn]);
  return (
    <button type="button" aria-pressed={isOn} onClick={() => void change({ isOn: !isOn }, () => send(!isOn))}>
      {isOn ? on : off}
    </button>
  );
}

type LikeProps = { likes: number; vote: Vote['value']; send: (isLiked: boolean) => Promise<Result<Vote>> };

/** A like of the reader, with the number of all. */
export function LikeButton({ likes, vote, send }: LikeProps) {
  const texts = useTexts();
  const [state, change] = useOptimistic({ vote, likes });
  const isLiked = state.vote === 'like';
  const toggle = (): Promise<void> =>
    change(
      { vote: isLiked ? null : 'like', likes: state.likes + (isLiked ? -1 : 1) },
      () => send(!isLiked),
      ({ value, stats }) => ({ vote: value, likes: stats?.likesCount ?? state.likes }),
    );
  return (
    <button type="button" class="count likes" aria-pressed={isLiked} onClick={() => void toggle()}>
      {compact(state.likes, texts.language)}
      <span class="sr-only"> {texts.viewer.like}</span>
    </button>
  );
}
