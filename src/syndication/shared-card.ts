import type { PostCard } from '../posts/card/post-card.js';
import type { SiteAddresses } from './site-addresses.js';

/** What other sites and feed readers show of a post, with absolute URLs. */
export type SharedCard = {
  url: string;
  title: string;
  /** plain text: the subtitle, or the beginning of the text */
  summary: string;
  author: { name: string; url: string };
  tags: string[];
  imageUrl: string | null;
};

export function sharedCard(card: PostCard, addresses: SiteAddresses): SharedCard {
  const { slug, title, author, tags, thumbnailUrl } = card;
  return {
    url: addresses.post(slug),
    ...{ title, tags },
    summary: card.subtitle ?? card.contentPreview,
    author: { name: author.fullName || author.username, url: addresses.profile(author.username) },
    imageUrl: thumbnailUrl && new URL(thumbnailUrl, addresses.api).href,
  };
}
