import type { components } from '../../../sdk/src/schema.js';
import type { Card } from '../api.js';
import { api } from '../client.js';
import { PostCard } from '../components/card.js';
import { useTexts } from '../components/context.js';
import { compact } from '../components/time.js';
import { useOptimistic } from './use-optimistic.js';

export type OwnState = Pick<components['schemas']['ViewerPost'], 'vote' | 'isSaved' | 'isHidden'>;

/** A post with the reader's like and save. A hidden one leaves a line to show it again. */
export function OwnCard({ card, own }: { card: Card; own: OwnState }) {
  const texts = useTexts();
  const { like, save, saved, hide, hidden, undo } = texts.viewer;
  const [state, change] = useOptimistic({ ...own, likes: card.stats.likesCount });
  const post = { params: { path: { id: card.id } } };
  const { isSaved, isHidden } = state;
  const isLiked = state.vote === 'like';

  const toggleLike = () =>
    change(
      { vote: isLiked ? null : 'like', likes: state.likes + (isLiked ? -1 : 1) },
      () =>
        isLiked
          ? api.DELETE('/v1/posts/{id}/vote', post)
          : api.PUT('/v1/posts/{id}/vote', { ...post, body: { value: 'like' } }),
      ({ value, stats }) => ({ vote: value, likes: stats?.likesCount ?? state.likes }),
    );
  const toggleSave = () =>
    change({ isSaved: !isSaved }, () =>
      isSaved ? api.DELETE('/v1/posts/{id}/save', post) : api.PUT('/v1/posts/{id}/save', post),
    );
  const toggleHide = () =>
    change({ isHidden: !isHidden }, () =>
      isHidden ? api.DELETE('/v1/posts/{id}/hide', post) : api.PUT('/v1/posts/{id}/hide', post),
    );

  if (isHidden)
    return (
      <p class="card own">
        {hidden}{' '}
        <button type="button" onClick={() => void toggleHide()}>
          {undo}
        </button>
      </p>
    );
  return (
    <PostCard
      card={card}
      actions={
        <span class="own">
          <button type="button" class="count likes" aria-pressed={isLiked} onClick={() => void toggleLike()}>
            {compact(state.likes, texts.language)}
            <span class="sr-only"> {like}</span>
          </button>
          <button type="button" aria-pressed={isSaved} onClick={() => void toggleSave()}>
            {isSaved ? saved : save}
          </button>
          <button type="button" onClick={() => void toggleHide()}>
            {hide}
          </button>
        </span>
      }
    />
  );
}
