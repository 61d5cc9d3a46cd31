import { EXAMPLE } from '../common/examples.js';
import { type RemovalDto, toRemoval } from '../moderation/removal.dto.js';
import type { DroppedElement } from '../rendering/dropped-element.js';
import { SluggedResource, type Versioned, withVersion } from './slugged-resource.js';
import { CARD_PROJECTION, type PostCard, type PostCardRow, toPostCard } from './card/post-card.js';
import type { Post } from './post.schema.js';
import type { Visibility } from './post-types.js';
import { LABEL_PROJECTION, type StoredLabels } from './stored-labels.js';
import { visibilityOf } from './visibility.js';

export const POST_RESOURCE = new SluggedResource(
  '/v1/posts',
  'a post',
  `notes-on-the-analytical-engine-${EXAMPLE.postId}`,
);

/** A card for its author. Cards in lists of others need no visibility: they are public. */
export type OwnPostCard = PostCard & { visibility: Visibility };

export type OwnCardRow = PostCardRow & Pick<Post, 'isUnlisted'>;
export const OWN_CARD_PROJECTION = { ...CARD_PROJECTION, isUnlisted: 1 } as const;

export function toOwnPostCard(row: OwnCardRow): OwnPostCard {
  return { ...toPostCard(row), visibility: visibilityOf(row) };
}

export type PostJson = Versioned<
  OwnPostCard & {
    content: string;
    canonicalUrl: string | null;
    isLocked: boolean;
    isHistoryPublic: boolean;
    /** only while a moderator has removed the post */
    removal?: RemovalDto;
    /** only in the response to a write of HTML */
    dropped?: DroppedElement[];
  }
>;

export type PostViewRow = OwnCardRow &
  Pick<Post, keyof StoredLabels | 'version' | 'isLocked' | 'isHistoryPublic' | 'removal'>;
export const POST_PROJECTION = {
  ...OWN_CARD_PROJECTION,
  ...LABEL_PROJECTION,
  version: 1,
  isLocked: 1,
  isHistoryPublic: 1,
  removal: 1,
} as const;

export function toPost(row: PostViewRow, content: string): PostJson {
  const { canonicalUrl = null, isLocked, isHistoryPublic, version, removal } = row;
  const post = { ...toOwnPostCard(row), content, canonicalUrl, isLocked, isHistoryPublic };
  return withVersion(removal ? { ...post, removal: toRemoval(removal) } : post, version);
}
