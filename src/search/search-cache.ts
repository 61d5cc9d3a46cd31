import type { PostCardDto } from '../posts/card/post-card.dto.js';
import type { SearchPageDto, SuggestionsDto } from './search.dto.js';

/** cache tag of every response from the index, invalidated when the index of this host changes */
export const SEARCH_TAG = 'search';

/** Returns tags of posts and accounts, because hiding, deleting and renaming invalidate responses before the index contains the change. */
export function searchTags({ data }: SearchPageDto): string[] {
  const comments = data.comments.flatMap(({ postId, author }) => [
    `comments:${postId}`,
    `post:${postId}`,
    `user:${author!.id}`,
  ]);
  const tags = [...cardTags(data.posts), ...data.users.map(({ id }) => `user:${id}`), ...comments];
  return [SEARCH_TAG, ...new Set(tags)];
}

/** Has no SEARCH_TAG, so that a list is computed again only when one of its posts changes, or after ten minutes. */
export function relatedTags(id: string, cards: PostCardDto[]): string[] {
  return [...new Set([`post:${id}`, ...cardTags(cards)])];
}

export function suggestionTags({ data }: SuggestionsDto): string[] {
  return [SEARCH_TAG, ...data.users.map(({ id }) => `user:${id}`)];
}

function cardTags(cards: PostCardDto[]): string[] {
  return cards.flatMap(({ id, author }) => [`post:${id}`, `user:${author.id}`]);
}
