import type { SearchPageDto, SuggestionsDto } from './search.dto.js';

/** cache tag of every response from the index, invalidated when the index of this host changes */
export const SEARCH_TAG = 'search';

/** Returns tags of posts and accounts, because hiding, deleting and renaming invalidate responses before the index contains the change. */
export function searchTags({ data }: SearchPageDto): string[] {
  const people = [...data.posts.map(({ author }) => author), ...data.users];
  const tags = [...data.posts.map(({ id }) => `post:${id}`), ...people.map(({ id }) => `user:${id}`)];
  return [SEARCH_TAG, ...new Set(tags)];
}

export function suggestionTags({ data }: SuggestionsDto): string[] {
  return [SEARCH_TAG, ...data.users.map(({ id }) => `user:${id}`)];
}
