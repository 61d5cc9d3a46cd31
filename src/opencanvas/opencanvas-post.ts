import type { PostCard } from '../posts/card/post-card.js';
import type { PostJson } from '../posts/post-view.js';
import { escapeMarkdown } from './escape-markdown.js';

/** Converts a card to a post in a list of OpenCanvas. The client renders the preview as Markdown with raw HTML. */
export function toOpenCanvasCard(card: PostCard) {
  const { id, author, slug } = card;
  const { username, fullName, profilePicture } = author;
  return {
    _id: id,
    title: card.title,
    // The client appends the id to the slug.
    slug: slug.slice(0, -id.length - 1),
    type: card.type,
    tags: card.tags,
    contentPreview: escapeMarkdown(card.contentPreview),
    readTime: `${card.readTime} min read`,
    thumbnailUrl: card.thumbnailUrl ?? '',
    isPremium: false,
    isPublic: card.isPublic,
    isEdited: card.isEdited,
    authorId: author.id,
    authorSnapshot: { username, fullName, profilePicture: profilePicture ?? '' },
    stats: card.stats,
    createdAt: card.createdAt,
    updatedAt: card.updatedAt,
  };
}

export type OpenCanvasCard = ReturnType<typeof toOpenCanvasCard>;

/** Converts a post to the fields of OpenCanvas. @param content Markdown that is safe to render */
export function toOpenCanvasPost(post: PostJson, content: string) {
  return { ...toOpenCanvasCard(post), content, media: [] };
}
