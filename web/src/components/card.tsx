import type { ComponentChildren } from 'preact';
import { type Card, postPath, tagPath } from '../api.js';
import { AuthorLink, Avatar } from './author.js';
import { useTexts } from './context.js';
import { compact, Time } from './time.js';

/** in UTF-16 units */
const MAX_PREVIEW = 270;

type ThumbnailProps = { card: Pick<Card, 'thumbnail' | 'thumbnailUrl'>; sizes: string; isLazy?: boolean };

/** The image of a post. Decorative: its title stands beside it. */
export function Thumbnail({ card: { thumbnail, thumbnailUrl }, sizes, isLazy = true }: ThumbnailProps) {
  if (thumbnailUrl === null) return null;
  const { width, height, variants = [] } = thumbnail ?? {};
  const srcset = variants.map((variant) => `${variant.url} ${variant.width}w`).join(', ');
  const size = { width, height, ...(srcset === '' ? {} : { srcset, sizes }) };
  return <img src={thumbnailUrl} alt="" {...size} loading={isLazy ? 'lazy' : undefined} decoding="async" />;
}

export function TagList({ tags }: { tags: readonly string[] }) {
  if (tags.length === 0) return null;
  return (
    <ul class="tags">
      {tags.map((tag) => (
        <li key={tag}>
          <a href={tagPath(tag)} dir="auto">
            {tag}
          </a>
        </li>
      ))}
    </ul>
  );
}

type Props = {
  card: Card;
  /** titles with marked words, in results of a search */
  title?: ComponentChildren;
  preview?: ComponentChildren;
  /** of a collection */
  note?: string | null;
  hasAuthor?: boolean;
  /** buttons of the reader in place of the number of likes */
  actions?: ComponentChildren;
  /** whether only its buttons are shown */
  isHidden?: boolean;
  /** whether it is among the first ones, which are seen at once */
  isFirst?: boolean;
};

/** A post in a list. Its parts are called as functions, because components of their own took a third of the rendering. */
export function PostCard({
  card,
  title,
  preview,
  note,
  hasAuthor = true,
  actions,
  isHidden = false,
  isFirst = false,
}: Props) {
  const texts = useTexts();
  const { author, stats, thumbnailUrl } = card;
  const summary = card.subtitle ?? card.contentPreview;
  return (
    <article
      class={isHidden ? 'card is-hidden' : 'card'}
      data-post={card.id}
      data-likes={stats.likesCount}
      data-author={hasAuthor ? author.id : undefined}
    >
      <div class="card-text">
        <p class="meta">
          {hasAuthor && Avatar({ author, size: 24 })}
          {hasAuthor && AuthorLink({ author })}
          {Time({ at: card.createdAt })}
          <span class="kind">{texts.type[card.type]}</span>
        </p>
        <h2 dir="auto">
          <a href={postPath(card)}>{title ?? card.title}</a>
        </h2>
        {summary !== '' && (
          <p class="preview" dir="auto">
            {preview ?? shortened(summary)}
          </p>
        )}
        {note !== null && note !== undefined && note !== '' && (
          <p class="note" dir="auto">
            {note}
          </p>
        )}
        <div class="card-foot">
          {TagList({ tags: card.tags.slice(0, 4) })}
          <p class="stats">
            <span>{texts.minutes(card.readTime)}</span>
            {actions ?? Count({ kind: 'likes', count: stats.likesCount })}
            {Count({ kind: 'comments', count: stats.commentsCount })}
          </p>
        </div>
      </div>
      {thumbnailUrl !== null && (
        <a class="card-image" href={postPath(card)} tabIndex={-1} aria-hidden="true">
          <Thumbnail card={card} sizes="(min-width: 40rem) 11rem, 100vw" isLazy={!isFirst} />
        </a>
      )}
    </article>
  );
}

/** A number with an icon of the style sheet. Its label replaces the icon for screen readers. */
export function Count({ kind, count }: { kind: 'likes' | 'comments'; count: number }) {
  const texts = useTexts();
  return (
    <span class={`count ${kind}`}>
      {compact(count, texts.language)}
      <span class="sr-only"> {texts[kind]}</span>
    </span>
  );
}

/** Shortens a text to what three lines can show, between two words if it has any. */
function shortened(text: string): string {
  if (text.length <= MAX_PREVIEW) return text;
  const end = text.lastIndexOf(' ', MAX_PREVIEW);
  return `${text.slice(0, end > MAX_PREVIEW / 2 ? end : MAX_PREVIEW)}…`;
}
