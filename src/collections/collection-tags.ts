/** Returns the cache tag of responses that contain a collection. */
export function tagOf(collectionId: string): string {
  return `collection:${collectionId}`;
}

/** cache tag of the lists of collections: of all accounts, of a tag, of one account */
export const LISTS_TAG = 'collections';
