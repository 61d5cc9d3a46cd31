/** The cache tag of responses about a collection. */
export function tagOf(collectionId: string): string {
  return `collection:${collectionId}`;
}

/** The cache tag of the lists of collections: of all accounts, of a tag, of one account. */
export const LISTS_TAG = 'collections';
