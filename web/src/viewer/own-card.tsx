import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Card } from '../api.js';
import { PostCard } from '../components/card.js';
import { type OwnState, PostButtons } from './post-buttons.js';

type Props = { card: Card; own: OwnState; note?: string | undefined; children?: ComponentChildren };

/** A post with the buttons of the reader. */
export function OwnCard({ card, own, note, children }: Props) {
  const [isHidden, setHidden] = useState(own.isHidden);
  const buttons = (
    <PostButtons id={card.id} likes={card.stats.likesCount} own={own} hidden={setHidden}>
      {children}
    </PostButtons>
  );
  return <PostCard card={card} note={note ?? null} isHidden={isHidden} actions={buttons} />;
}
