import type { SearchPageDto, SuggestionsDto } from './search.dto.js';

/** The tag of every response from the index: invalidated when the index of this host has changed. */
export const SEARCH_TAG = 'search';

/** Hidden, deleted and renamed things invalidate cached responses with the commit, before the index contains the change. */
export function searchTags({ data }: SearchPageDto): string[] {
  const people = [...data.posts.map(({ author }) => author), ...data.users];
  const tags = [...data.posts.map(({ id }) => `post:${id}`), ...people.map(({ id }) => `user:${id}`)];
  return [SEARCH_TAG, ...new Set(tags)];
}

export function suggestionTags({ data }: SuggestionsDto): string[] {
  return [SEARCH_TAG, ...data.users.map(({ id }) => `user:${id}`)];
}
