import { useState } from 'preact/hooks';
import type { Card } from '../api.js';
import { PostCard } from '../components/card.js';
import { type OwnState, PostButtons } from './post-buttons.js';

/** A post with the buttons of the reader. */
export function OwnCard({ card, own }: { card: Card; own: OwnState }) {
  const [isHidden, setHidden] = useState(own.isHidden);
  const buttons = <PostButtons id={card.id} likes={card.stats.likesCount} own={own} hidden={setHidden} />;
  return <PostCard card={card} isHidden={isHidden} actions={buttons} />;
}
