import type { SearchPageDto, SuggestionsDto } from './search.dto.js';

/** Of every response that is made from the index: it is dropped when the index of this host has changed. */
export const SEARCH_TAG = 'search';

/** Hidden, deleted and renamed things leave cached responses with the commit, before the index has them. */
export function searchTags({ data }: SearchPageDto): string[] {
  const people = [...data.posts.map(({ author }) => author), ...data.users];
  const tags = [...data.posts.map(({ id }) => `post:${id}`), ...people.map(({ id }) => `user:${id}`)];
  return [SEARCH_TAG, ...new Set(tags)];
}

export function suggestionTags({ data }: SuggestionsDto): string[] {
  return [SEARCH_TAG, ...data.users.map(({ id }) => `user:${id}`)];
}
