import type { components } from '../../sdk/src/schema.js';

export type Schemas = components['schemas'];
export type Author = Schemas['Author'];
export type Card = Schemas['PostCard'];
export type Post = Schemas['Post'];
export type PostHtml = Schemas['Html'];
export type PostMeta = Schemas['PostMeta'];
export type PostSeries = Schemas['PostSeries'];
export type PostType = Schemas['PostType'];
export type Comment = Schemas['Comment'];
export type CommentHtml = Schemas['CommentHtml'];
export type Profile = Schemas['Profile'];
export type PublicUser = Schemas['PublicUser'];
export type TopWriter = Schemas['TopWriter'];
export type Collection = Schemas['Collection'];
export type CollectionPost = Schemas['CollectionPost'];
export type SearchPage = Schemas['SearchPage'];
export type Tag = Schemas['Tag'];
export type TagDetails = Schemas['TagDetails'];
export type Picture = Schemas['Picture'];

export type Page<Row> = { data: Row[]; page: { nextCursor: string | null } };

export const POST_TYPES: readonly PostType[] = ['article', 'research-paper', 'poem', 'story', 'book', 'written'];

/** Writes a path with parameters in the given order. Omits parameters without a value. */
export function withQuery(path: string, query: Record<string, string | undefined>): string {
  const parts = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return parts.length === 0 ? path : `${path}?${parts.join('&')}`;
}

/** Returns the id at the end of `<slug>-<id>`. */
export const idOf = (slug: string): string => slug.slice(-24);

export const nameOf = ({ fullName, username }: Pick<Author, 'fullName' | 'username'>): string => fullName || username;
export const profilePath = ({ username }: Pick<Author, 'username'>): string => `/u/${username}`;
export const postPath = ({ slug }: Pick<Card, 'slug'>): string => `/p/${slug}`;
export const tagPath = (tag: string): string => `/tags/${encodeURIComponent(tag)}`;
export const collectionPath = ({ slug }: Pick<Collection, 'slug'>): string => `/collections/${slug}`;
