/** The cache tag of responses about a collection. */
export function tagOf(collectionId: string): string {
  return `collection:${collectionId}`;
}

/** The lists of collections: everyone's, by tag, a user's. */
export const LISTS_TAG = 'collections';
