import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Schemas } from '../api.js';
import { api } from '../client.js';
import { useTexts } from '../components/context.js';
import { LikeButton, Toggle } from './buttons.js';

export type OwnState = Pick<Schemas['ViewerPost'], 'vote' | 'isSaved' | 'isHidden'>;

type Props = {
  id: string;
  likes: number;
  own: OwnState;
  hidden: (isHidden: boolean) => void;
  /** more buttons */
  children?: ComponentChildren;
};

/** Like, save and hide. A hidden post keeps a line to show it again. */
export function PostButtons({ id, likes, own, hidden, children }: Props) {
  const texts = useTexts().viewer;
  const [isHidden, setHidden] = useState(own.isHidden);
  const post = { params: { path: { id } } };
  return (
    <span class="own">
      <span class="own" hidden={isHidden}>
        <LikeButton
          likes={likes}
          vote={own.vote}
          send={(isOn) =>
            isOn
              ? api.PUT('/v1/posts/{id}/vote', { ...post, body: { value: 'like' } })
              : api.DELETE('/v1/posts/{id}/vote', post)
          }
        />
        <Toggle
          labels={[texts.save, texts.saved]}
          isOn={own.isSaved}
          send={(isOn) => (isOn ? api.PUT('/v1/posts/{id}/save', post) : api.DELETE('/v1/posts/{id}/save', post))}
        />
        {children}
      </span>
      {isHidden && texts.hidden}
      <Toggle
        labels={[texts.hide, texts.undo]}
        isOn={own.isHidden}
        send={(isOn) => (isOn ? api.PUT('/v1/posts/{id}/hide', post) : api.DELETE('/v1/posts/{id}/hide', post))}
        changed={(isOn) => {
          setHidden(isOn);
          hidden(isOn);
        }}
      />
    </span>
  );
}
